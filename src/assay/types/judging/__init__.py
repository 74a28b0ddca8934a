"""What judges and people say of answers, and how far a judge can be trusted."""
