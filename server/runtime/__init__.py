"""Settings, errors, logs, metrics, warm-up."""
