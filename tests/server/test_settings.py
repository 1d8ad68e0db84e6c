"""Settings from the environment, and what is said about bad ones."""

import pytest

from server.errors import SettingsError
from server.settings import Settings, listing


def test_nothing_set_means_the_defaults():
    assert Settings.from_environment({"PATH": "/bin"}) == Settings()


def test_every_setting_can_be_set():
    given = {
        "HEARTS_DATABASE_URL": "postgresql://me@example/hearts",
        "HEARTS_HOST": "::1",
        "HEARTS_PORT": "9000",
        "HEARTS_THREADS": "4",
        "HEARTS_SHUTDOWN_SECONDS": "5",
        "HEARTS_CORS_ORIGINS": "https://a.example",
        "HEARTS_LOG_LEVEL": "DEBUG",
    }
    settings = Settings.from_environment(given)
    assert settings.port == 9000
    assert settings.log_level == "debug"
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
    given = {"HEARTS_DATABASE_URL": "postgresql://me:secret@example/hearts"}
    shown = {each.name: each.value for each in listing(Settings.from_environment(given), given)}
    assert shown["database_url"] == "postgresql://me:***@example/hearts"
