"""What the other packages of the server share: settings, errors, logs, metrics, warm-up."""
