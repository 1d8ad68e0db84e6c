"""Commands that run the service and its database."""
