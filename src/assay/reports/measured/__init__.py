"""Speed, memory and drift in reports."""
