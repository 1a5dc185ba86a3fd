"""What would make a call that failed succeed: told from what came back and from what the profile says."""
