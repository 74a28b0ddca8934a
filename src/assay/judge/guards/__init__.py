"""What keeps an answer from deceiving its judge, and a judge from inventing quotes."""
