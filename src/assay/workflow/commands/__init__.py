"""What a user asks for, one file or folder a command: each puts running and reporting together."""
