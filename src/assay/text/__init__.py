"""Reading and writing text, once for everybody: numbers, JSON in prose, sentences, formats."""
