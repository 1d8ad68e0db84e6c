"""Settings from the environment, and what is said about bad ones."""

import pytest

from server.runtime.errors import SettingsError
from server.runtime.settings import Settings, listing


def test_nothing_set_means_the_defaults():
    assert Settings.from_environment({"PATH": "/bin"}) == Settings()


def test_every_setting_can_be_set():
    given = {
        "HEARTS_DATABASE_URL": "postgresql://me@example/hearts",
        "HEARTS_HOST": "::1",
        "HEARTS_PORT": "9000",
        "HEARTS_SLOTS": "4",
        "HEARTS_QUEUE": "0",
        "HEARTS_SPOOL": "spooled",
        "HEARTS_SPOOL_MEGABYTES": "8",
        "HEARTS_REQUEST_SECONDS": "9",
        "HEARTS_TABLE_PACE_MS": "200",
        "HEARTS_WATCHERS": "10",
        "HEARTS_WORKERS": "3",
        "HEARTS_JOB_WORKERS": "2",
        "HEARTS_JOB_QUEUE": "20",
        "HEARTS_WATCHERS_PER_CLIENT": "2",
        "HEARTS_TABLES_PER_CREATOR": "3",
        "HEARTS_TABLE_SEARCH_PERCENT": "10",
        "HEARTS_MAX_TABLE_TIME_MS": "100",
        "HEARTS_MAX_SIMULATIONS": "500",
        "HEARTS_MAX_WORLDS": "20",
        "HEARTS_MAX_TIME_MS": "900",
        "HEARTS_REQUIRE_KEYS": "yes",
        "HEARTS_ALLOW_OPEN": "0",
        "HEARTS_RATE_LIMIT": "10 per second",
        "HEARTS_EXPENSIVE_RATE_LIMIT": "1 per second",
        "HEARTS_LIMITS_URL": "redis://example/1",
        "HEARTS_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
        "HEARTS_SHUTDOWN_SECONDS": "5",
        "HEARTS_CORS_ORIGINS": "https://a.example, http://b.example:8000",
        "HEARTS_ALLOWED_HOSTS": "hearts.example",
        "HEARTS_METRICS_PORT": "9001",
        "HEARTS_METRICS_HOST": "::1",
        "HEARTS_METRICS_TOKEN": "a-secret-of-operators",
        "HEARTS_RETAIN_IDEMPOTENCY_HOURS": "1",
        "HEARTS_RETAIN_OPEN_TABLES_DAYS": "2",
        "HEARTS_RETAIN_ABANDONED_DAYS": "3",
        "HEARTS_RETAIN_GAMES_DAYS": "4",
        "HEARTS_RETAIN_DECISIONS_DAYS": "5",
        "HEARTS_RETAIN_REVIEWS_DAYS": "6",
        "HEARTS_LOG_LEVEL": "DEBUG",
    }
    settings = Settings.from_environment(given)
    assert settings.port == 9000
    assert settings.log_level == "debug"
    assert (settings.require_keys, settings.allow_open, settings.enforced_rate) == (
        True,
        False,
        "10 per second",
    )
    assert {each.variable for each in listing(settings, given)} == set(given)
    assert all(each.source == each.variable for each in listing(settings, given))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("HEARTS_PORT", "http", "HEARTS_PORT must be a whole number from 1 to 65535, not 'http'"),
        ("HEARTS_PORT", "0", "HEARTS_PORT must be a whole number from 1 to 65535, not '0'"),
        ("HEARTS_PORT", "-1", "HEARTS_PORT must be a whole number from 1 to 65535, not '-1'"),
        ("HEARTS_PORT", "²", "HEARTS_PORT must be a whole number from 1 to 65535, not '²'"),
        ("HEARTS_HOST", " ", "HEARTS_HOST must not be empty, not ' '"),
        (
            "HEARTS_LOG_LEVEL",
            "loud",
            "HEARTS_LOG_LEVEL must be one of debug, info, warning, error, not 'loud'",
        ),
        ("HEARTS_REQUIRE_KEYS", "maybe", "HEARTS_REQUIRE_KEYS must be true or false, not 'maybe'"),
        (
            "HEARTS_RATE_LIMIT",
            "often",
            "HEARTS_RATE_LIMIT must be off, auto or a rate such as '600 per minute', not 'often'",
        ),
        (
            "HEARTS_CORS_ORIGINS",
            "a.example",
            "HEARTS_CORS_ORIGINS must be auto, none, *, or origins such as "
            "'https://hearts.example', not 'a.example'",
        ),
        (
            "HEARTS_CORS_ORIGINS",
            "https://*.example.com",
            "HEARTS_CORS_ORIGINS must be * alone, or list every origin in full, "
            "not 'https://*.example.com'",
        ),
        (
            "HEARTS_ALLOWED_HOSTS",
            "http://a.example",
            "HEARTS_ALLOWED_HOSTS must be auto, or names of hosts such as "
            "'hearts.example, .example.org', not 'http://a.example'",
        ),
        (
            "HEARTS_TRUSTED_PROXIES",
            "2",
            "HEARTS_TRUSTED_PROXIES must be none, or addresses and networks such as "
            "'127.0.0.1, 10.0.0.0/8', not '2'",
        ),
        (
            "HEARTS_LIMITS_URL",
            "memcached://:secret@example",
            "HEARTS_LIMITS_URL must be memory or begin with redis://, rediss:// or redis+unix://",
        ),
        (
            "HEARTS_DATABASE_URL",
            "mysql://me:secret@example/x",
            "HEARTS_DATABASE_URL must begin with sqlite:/// or postgresql://",
        ),
    ],
)
def test_a_bad_value_is_named_and_quoted(name, value, message):
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({name: value})
    assert str(caught.value) == message


def test_a_misspelt_setting_is_not_ignored():
    with pytest.raises(SettingsError, match=r"unknown setting HEARTS_PROT; .*HEARTS_PORT"):
        Settings.from_environment({"HEARTS_PROT": "9000"})


def test_a_password_is_not_shown():
    given = {
        "HEARTS_DATABASE_URL": "postgresql://me:secret@example/hearts",
        "HEARTS_LIMITS_URL": "redis://:secret@example/0",
        "HEARTS_METRICS_TOKEN": "a-secret-of-operators",
    }
    shown = {each.name: each.value for each in listing(Settings.from_environment(given), given)}
    assert shown["database_url"] == "postgresql://me:***@example/hearts"
    assert shown["limits_url"] == "redis://:***@example/0"
    assert shown["metrics_token"] == "***"


def test_a_file_sets_what_the_environment_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hearts.toml").write_text('port = 9000\nrequire_keys = true\nhost = "::1"\n')
    given = {"HEARTS_PORT": "9001"}
    settings = Settings.from_environment(given)
    assert (settings.port, settings.require_keys, settings.host) == (9001, True, "::1")
    sources = {each.name: each.source for each in listing(settings, given)}
    assert (sources["port"], sources["host"]) == ("HEARTS_PORT", "hearts.toml")
    assert sources["queue"] == "default"


def test_another_file_can_be_named(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("queue = 3\n")
    assert Settings.from_environment({"HEARTS_CONFIG": str(path)}).queue == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = ", "cannot read the settings in .*mine.toml: Invalid value"),
        ("prot = 1", "mine.toml: unknown setting prot"),
        ("port = 0", "^port must be a whole number from 1 to 65535, not '0'"),
        (None, "cannot read the settings in .*mine.toml: .*No such file"),
    ],
)
def test_a_bad_file_is_named(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SettingsError, match=message):
        Settings.from_environment({"HEARTS_CONFIG": str(path)})
