"""The words by which a name is that of a secret, and those by which a value is none."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The end of a word (names are run together: `pgpassword`, `accesstoken`) and the kind of secret it makes.
SECRET_ENDINGS: dict[str, str] = {
    "password": "password",
    "passwords": "password",
    "passwd": "password",
    "passphrase": "password",
    "passcode": "password",
    "pwd": "password",
    "contraseña": "password",
    "kennwort": "password",
    "passwort": "password",
    "token": "token",
    "tokens": "token",
    "secret": "secret",
    "secrets": "secret",
    "credential": "credential",
    "credentials": "credential",
    "creds": "credential",
    "apikey": "api-key",
    "apikeys": "api-key",
    "accesskey": "key",
    "accountkey": "key",
    "privatekey": "key",
    "secretkey": "key",
    "authkey": "key",
    "encryptionkey": "key",
    "signingkey": "key",
}

# A `key` is secret by what stands before it.
KEY_OWNERS = _set(
    """
    api access account admin app auth client consumer crypto database db deploy encryption hmac license master
    private secret server service session shared signing storage subscription webhook
    """
)
PASS_OWNERS = _set(
    """
    db database user smtp mail email admin root mysql pg postgres redis ftp ssh ldap mongo rabbitmq rabbit http
    proxy basic login key store keystore vault sudo imap api my service
    """
)

# What a secret's name is followed by when it names something about the secret.
HARMLESS_LAST = _set(
    """
    algorithm arn attr attribute auth backend budget callback check class cls column config count cost counter dir
    enabled encoder endpoint env error exception expires expiration expiry factory field file filename folder format
    function generator getter group handler hasher header help hint id ids index input is issuer kind label len
    length level limit list location manager max message min mode model name names needed option param parameter
    parser path pattern placeholder policy position prefix processor prompt provider ref reference regex required
    requirements reset resolver rotation rule rules schema scope scopes screen service set setting size source
    status storage store strategy strength suffix table tag template test text timeout title tokens ttl type types
    uri url urls usage validator validators var variable vault version view views widget
    window username user users email login host port owner lifetime start end
    """
)
# ...and what it is preceded by when it is a piece of text, a cursor or a signal.
HARMLESS_BEFORE = _set(
    """
    allow bos cancel cancellation cls completion continuation current disable enable end eos first foreign forgot
    has invalid is last lexer mask max min missing next no num pad page parse prev previous primary prompt public
    require requires sep show skip sort special start stop syntax total unk use using validate verify with without
    """
)

# Written instead of a secret.
PLAIN_VALUES = _set(
    """
    none null nil undefined true false yes no on off n/a na tbd todo fixme placeholder dummy example sample fake
    redacted changeme change-me change_me hidden masked removed unset empty default required optional secret
    password token key xxx string str
    """
)
# Said of a secret.
DESCRIBING = _set(
    """
    absent accepted allowed bad blank cached correct deleted denied deprecated different disabled empty enabled
    encrypted exists expected expired failed found generated hashed hidden ignored incorrect invalid is issued
    leaked long lost malformed mandatory missing mismatch needed new not ok old only optional plain plaintext
    present provided read rejected required reset revoked rotated set short stale strong text unchanged unexpected
    unknown unset unused updated used valid verified weak write wrong
    """
)
TYPES = _set(
    """
    str string String bytes bytearray bool boolean int integer number float any Any object Object unknown never void
    text Text char varchar VARCHAR TEXT SecretStr Secret uuid UUID Buffer Uint8Array Optional Option Maybe u8 i32
    i64 u64 usize password Path Callable dict list Dict List Map map
    """
)
# A text with one of these in it is a sentence, not a passphrase.
PROSE = _set(
    """
    a an and are as at be but by can cannot could do does for from has have if in instead into is it its may must
    need needs never not of on only or our out please should so that the their then this to too use used uses using
    value was when where which will with without you your enter invalid flag flags option options argument arguments
    parameter parameters file
    """
)
