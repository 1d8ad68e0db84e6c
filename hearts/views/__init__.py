"""What one seat knows, and the checks that it can be so."""
