"""Secrets go, look-alikes stay.

The secrets are put together here from pieces, so that no scanner of repositories takes this file for a leak. None of
them ever opened anything.
"""

from __future__ import annotations

import base64
import random
import re
import socket
import string
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.capture.redaction.redaction import redact
from memlsp.store.tables.journal import shortened

_DICE = random.Random(20)


def _some(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Random signs, with at least three digits among them."""
    signs = [_DICE.choice(alphabet) for _ in range(length)]
    for place in (1, length // 2, length - 2):
        signs[place] = _DICE.choice([sign for sign in alphabet if sign.isdigit()])
    return "".join(signs)


_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_B64 = string.ascii_letters + string.digits + "+/"


def _b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _key_lines(count: int = 6) -> list[str]:
    return ["MII" + _some(61, _B64), *(_some(64, _B64) for _ in range(count - 2)), _some(20, _B64) + "=="]


_LINES = _key_lines()
_BEGIN, _END = "-----BEGIN " + "RSA PRIVATE" + " KEY-----", "-----END " + "RSA PRIVATE" + " KEY-----"
_PEM = "\n".join([_BEGIN, *_LINES, _END])
_JWT = ".".join([_b64('{"alg":"HS256","typ":"JWT"}'), _b64('{"sub":"1234567890","name":"Ada"}'), _some(43)])
_WORD = "hunt" + "er2"
_STRONG = "Tr0ub4" + "dor&3"
_40 = _some(40, _B64)
_AZURE = _some(86, _B64) + "=="

# name: (text, what must not be left of it)
SECRETS: dict[str, tuple[str, str]] = {
    "a password in YAML": (f"password: {_WORD}", _WORD),
    "a very short password": ("password: x", ": x"),
    "a plain word as a password": ("db:\n  password: swordfish\n  port: 5432\n", "swordfish"),
    "a password in an env file": (f"DB_PASSWORD={_WORD}\nDB_HOST=localhost\n", _WORD),
    "an exported password": ("export PGPASSWORD=swordfish", "swordfish"),
    "a password in docker arguments": (f"docker run -e MYSQL_ROOT_PASSWORD={_WORD} mysql:8", _WORD),
    "a password in Python": (f'password = "{_WORD}"', _WORD),
    "a typed password in Python": (f'password: str = "{_WORD}"', _WORD),
    "a keyword argument": (f"connect(host='db', password='{_WORD}', port=1)", _WORD),
    "a password in JSON": (f'{{"user": "ada", "password": "{_WORD}"}}', _WORD),
    "a password in JSON inside a string": (f'body = "{{\\"password\\": \\"{_WORD}\\"}}"', _WORD),
    "a password in Go": (f'cfg := Config{{Password: "{_WORD}"}}\ndbPassword := "{_STRONG}"', _WORD),
    "a password in Rust": (f'const DB_PASSWORD: &str = "{_WORD}";', _WORD),
    "a password in PHP": (f"'db_password' => '{_WORD}',", _WORD),
    "a defined password": (f"define('DB_PASSWORD', '{_WORD}');", _WORD),
    "a password in XML": (f"<server><password>{_WORD}</password></server>", _WORD),
    "a password in a properties file": ("spring.datasource.password=swordfish\n", "swordfish"),
    "a password in an ini file": (f"[db]\npassword = {_WORD}\n", _WORD),
    "a passphrase of words": ('passphrase = "correct horse battery staple"', "horse"),
    "a numeric password": ("password: 83920174", "83920174"),
    "a password that is said": (f"the staging password is {_STRONG}, ask Ada", _STRONG),
    "a quoted password that is said": (f"The admin password is '{_STRONG}'.", _STRONG),
    "a password at the end of a sentence": (f"log in as ada with password: {_WORD}", _WORD),
    "a password in camel case": (f'adminPassword: "{_WORD}",', _WORD),
    "a password with punctuation": ("password: p@$$w0rd!;x", "p@$$w0rd"),
    "a compared password": (f'if password == "{_WORD}":', _WORD),
    "a password given to an environment": (f'os.environ["DB_PASSWORD"] = "{_WORD}"', _WORD),
    "a password as a flag": (f"mycli --password {_WORD} --host db", _WORD),
    "a password as a flag with a sign": ("mycli --password=swordfish --host db", "swordfish"),
    "a token as a flag": (f"gh auth login --with-token --token {_some(24)}", "--token [a-z0-9]"),
    "a folded YAML password": (f"password: |\n  {_STRONG}\n", _STRONG),
    "an SQL password": ("CREATE USER ada WITH PASSWORD 'swordfish';", "swordfish"),
    "a curl user": (f"curl -u ada:{_WORD} https://api.test/v1", _WORD),
    "a mysql argument": (f"mysqldump -h db -uroot -p{_WORD} shop", _WORD),
    "a netrc line": ("machine api.test login ada password swordfish", "swordfish"),
    "an API key in JSON": (f'"api_key": "{_some(20)}"', '": "[A-Za-z0-9]'),
    "an API key in a header": (f"X-Api-Key: {_some(32, _HEX)}", "Key: [0-9a-f]"),
    "an API key in an address": (f"GET https://maps.test/v1?api_key={_some(24)}&q=x", "api_key=[A-Za-z0-9]"),
    "an API key written as two words": (f"our api key: {_some(24)}", "key: [A-Za-z0-9]"),
    "a client secret": (f"client_secret = '{_some(32)}'", "= '[A-Za-z0-9]"),
    "a Flask secret key": ("app.config['SECRET_KEY'] = 'dev-9'", "dev-9"),
    "an AWS secret key": (f"aws_secret_access_key = {_40}", _40),
    "an AWS secret key in JSON": (f'"SecretAccessKey": "{_40}"', _40),
    "an AWS key id": (f"the key is {'AK' + 'IA' + _some(16, _UPPER)}", "IA[A-Z0-9]"),
    "a temporary AWS key id": (f"{'AS' + 'IA' + _some(16, _UPPER)}", "IA[A-Z0-9]"),
    "a documented AWS key": ("aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY", "wJalr"),
    "a PEM key": (f"before\n{_PEM}\nafter", _LINES[2]),
    "a PEM key cut at its end": ("\n".join([_BEGIN, *_LINES[:3], _LINES[3][:20]]), _LINES[3][:20]),
    "a PEM key cut at its beginning": ("\n".join(["x", *_LINES[2:], _END, "y"]), _LINES[2]),
    "a PEM key on one line": (f'key = "{_PEM}"'.replace("\n", "\\n"), _LINES[3]),
    "a PEM key in comments": ("\n".join(f"# {line}" for line in _PEM.split("\n")), _LINES[1]),
    "an indented PEM key": ("\n".join(f"    {line}" for line in _PEM.split("\n")), _LINES[-1]),
    "a PEM key in a string per line": ("\n".join(f'  "{line}\\n"' for line in _PEM.split("\n")), _LINES[2]),
    "a PEM key with headers": (
        f"{_BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{_some(32, _HEX)}\n\n" + "\n".join([*_LINES, _END]),
        _LINES[0],
    ),
    "an OpenSSH key": (_PEM.replace("RSA ", "OPENSSH "), _LINES[0]),
    "a PGP key": (_PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"), _LINES[0]),
    "a service account": (
        '{"type": "service_account", "private_key": "' + _PEM.replace("\n", "\\n") + '\\n", "client_email": "a@b.c"}',
        _LINES[4],
    ),
    "a database address": (f"postgres://ada:{_WORD}@db.test:5432/shop", _WORD),
    "a short database address": ("DATABASE_URL=postgres://u:" + "p@localhost/x", ":p@"),
    "an address with an @ in its password": ("amqp://ada:" + "sw@rd" + "@mq.test/", "rd@"),
    "a cache address without a user": (f"redis://:{_WORD}@cache:6379/0", _WORD),
    "an address with a token": (f"https://{_some(40, _HEX)}@git.test/a/b.git", "//[0-9a-f]"),
    "an Azure connection string": (
        f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={_AZURE};EndpointSuffix=core.windows.net",
        _AZURE[:30],
    ),
    "a short Azure account key": ("AccountName=a;AccountKey=" + "Zm9vYmFy" + "MTIz==;", "Zm9v"),
    "an Azure service bus": (
        f"Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={_some(43, _B64)}=",
        "Key=[A-Z]",
    ),
    "an ADO connection string": (f"Server=db;User Id=ada;Password={_WORD};Encrypt=yes", _WORD),
    "an ODBC connection string": (f"Driver=x;Uid=ada;Pwd={_WORD};", _WORD),
    "a shared access signature": (f"https://a.test/b?sv=2024&sig={_some(40)}%3D&se=1", "sig=[A-Za-z0-9]"),
    "a basic header": (f"Authorization: Basic {base64.b64encode(b'ada:swordfish').decode()}", "YWRh"),
    "a bearer header": (f"Authorization: Bearer {_some(32)}", "Bearer [A-Za-z0-9]"),
    "a bearer header in Python": (f"headers={{'Authorization': 'Bearer {_some(32)}'}}", "Bearer [A-Za-z0-9]"),
    "a bearer header for curl": (f'curl -H "Authorization: Bearer {_some(20)}" https://x', "Bearer [A-Za-z0-9]"),
    "a token header": (f'"Authorization": "token {_some(40, _HEX)}"', "token [0-9a-f]"),
    "a bare basic credential": (f"it sends Basic {base64.b64encode(b'ada:swordfish').decode()}", "YWRh"),
    "a private token header": (f"PRIVATE-TOKEN: {_some(20)}", "TOKEN: [A-Za-z0-9]"),
    "a Docker registry login": (
        f'"auths": {{"r.test": {{"auth": "{base64.b64encode(b"ada:sw0rdf1sh").decode()}"}}}}',
        "YWRh",
    ),
    "an npm login": (f"//registry.test/:_authToken={_some(36, _HEX)}", "Token=[0-9a-f]"),
    "a GitHub token": ("gh" + "p_" + _some(36), "p_[A-Za-z0-9]"),
    "a GitHub OAuth token": (f"token {'gh' + 'o_' + _some(36)}", "o_[A-Za-z0-9]"),
    "a fine-grained GitHub token": ("github" + "_pat_" + _some(22) + "_" + _some(59), "_pat_[A-Za-z0-9]"),
    "a GitLab token": ("gl" + "pat-" + _some(20), "pat-[A-Za-z0-9]"),
    "a Slack bot token": ("xox" + "b-" + _some(12, "0123456789") + "-" + _some(24), "b-[0-9]"),
    "a Slack user token": ("xox" + "p-" + _some(12, "0123456789") + "-" + _some(32, _HEX), "p-[0-9]"),
    "a Slack webhook": (
        "https://hooks.slack" + f".com/services/T{_some(8, _UPPER)}/B{_some(8, _UPPER)}/{_some(24)}",
        "/B[A-Z0-9]",
    ),
    "a Stripe key": ("sk" + "_live_" + _some(24), "_live_[A-Za-z0-9]"),
    "a restricted Stripe key": ("rk" + "_live_" + _some(24), "_live_[A-Za-z0-9]"),
    "a PyPI token": ("py" + "pi-AgEIcHlwaS5vcmc" + _some(80), "AgEI"),
    "an npm token": ("np" + "m_" + _some(36), "m_[A-Za-z0-9]"),
    "a Google key": ("AI" + "za" + _some(35), "za[A-Za-z0-9]"),
    "a Google access token": ("ya" + "29." + _some(60), "29\\.[A-Za-z0-9]"),
    "an OpenAI key": ("s" + "k-" + _some(48), "k-[A-Za-z0-9]"),
    "a project key": ("s" + "k-proj-" + _some(48), "proj-[A-Za-z0-9]"),
    "a JWT": (_JWT, "eyJ"),
    "a JWT cut short": (f"cookie {_JWT[:90]}", "eyJ"),
    "a Hugging Face token": ("h" + "f_" + _some(34), "f_[A-Za-z0-9]"),
    "a DigitalOcean token": ("do" + "p_v1_" + _some(64, _HEX), "_v1_[0-9a-f]"),
    "a SendGrid key": ("S" + "G." + _some(22) + "." + _some(43), "G\\.[A-Za-z0-9]"),
    "a Twilio key": ("S" + "K" + _some(32, _HEX), "K[0-9a-f]"),
    "a Telegram bot": (_some(9, "123456789") + ":AA" + _some(33), ":AA"),
    "a token that is said": (f"the deploy token {_some(32)} expires in May", "token [A-Za-z0-9]"),
    "a random value under an unsure name": (f'token_id = "{_some(40)}"', '"[A-Za-z0-9]'),
    "a token of an unknown brand": (f"BRAND={'zz' + 'p_'}Ab3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY", "Ab3dE5f"),
    "a password for a place": (f"the admin password for staging is {_STRONG}x", _STRONG),
    "a password of a thing": ("the password of the shop db is " + "Som" + "mer#2026.", "mer#2026"),
    "a password behind its word": ("use password " + "zeb" + "ra7-Kw3m for the test db", "ra7-Kw3m"),
    "a passphrase for a place": ("passphrase for the vault: " + "Gra" + "nit!99z", "nit!99z"),
    "a password with a name": ("log in with ada / " + "Wint" + "er2026!", "er2026"),
    "a password behind a colon": ("sign in as ada@shop.test:" + "Herb" + "st%77", "st%77"),
    "credentials": ("the credentials are ada / " + "Lin" + "de$41x", "de$41x".replace("$", "\\$")),
    "a German password": ("das Passwort für Staging ist " + "Ap" + "fel-99-Baum", "fel-99"),
    "a Spanish password": ("la contraseña es " + "Na" + "ranja#12", "ranja#12"),
    "a French password": ("le mot de passe est " + "Pom" + "me!31a", "me!31a"),
    "a Portuguese password": ("a senha do banco é " + "La" + "ranja$8k", "ranja.8k"),
    "two on one line": (f"user=a password={_WORD} token={_some(20)}", f"{_WORD}|token=[A-Za-z0-9]"),
}

LOOK_ALIKES: dict[str, str] = {
    "a way to check": "the password for staging is checked by bcrypt",
    "a rule for length": "password must be at least 12 characters, the passphrase for the vault is 24-character",
    "a header": "the token is sent as header X-Auth-Token",
    "a file behind a password": "password reset in auth2.py, see password docs/reset2.md",
    "a name with a dash": "use token token-bucket2 and password login-form2",
    "a word with a dash": "the password for the API is case-sensitive and the token is URL-encoded",
    "an algorithm": "the token for the API is HS256-signed, the secret of the app is base64-encoded",
    "an identifier told": "the password for staging is db_password2 from DB_PASSWORD2",
    "an address told": "the token for CI is at https://ci.test/tokens/v2, log in with https://ci.test/a2b3c4",
    "a version told": "the secret in chart is v1.24.3-rc1",
    "an issue's id": "the token of the fix is SHOP-1234",
    "a flag told": "the password for tests is --password-file2",
    "ways to log in": "log in with Google / GitHub, sign in with OAuth / OAuth2.0, log in as root/admin",
    "a host to log in": "log in as ada:staging or at localhost:8080",
    "a git hash": "reverted in 2ac89889f4cc330eabd50f295dcef02828522c69",
    "a short git hash": "see commit 2ac8988 for the token change",
    "a SHA-256": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "a text in base64": "body: VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw",
    "a generated name in an address": "https://files.test/a/Ab3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY.js",
    "a fingerprint": "fingerprint: Ab3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY",
    "a uuid": "request 123e4567-e89b-42d3-a456-426614174000 failed",
    "a uuid under a token's id": 'token_id = "123e4567-e89b-42d3-a456-426614174000"',
    "a data URI": 'src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4"',
    "an integrity hash": '"integrity": "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
    "a lock file": '{ url = "https://a.test/b.gz", hash = "sha256:ceb27b0af3823ea2737928a4d99d125a06175b8512c445cb" }',
    "a cargo checksum": 'checksum = "b5ba8e1bdca1bfcd2b1d0b3a9b6d5f5c0bbf4bcb1a5ee9bd23bd38d1f62d7c0c"',
    "a go.sum line": "golang.org/x/sys v0.5.0 h1:MUK/U/4lj1t1oPg0HfuXDN/Z1wv31ZJ/YcPiGccS4DU=",
    "an ssh public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@host",
    "a public certificate marker": "-----BEGIN CERTIFICATE----- is what the file starts with",
    "a private key marker": "grep for '-----BEGIN RSA PRIVATE KEY-----' before committing",
    "password in prose": "The password is checked before the token is issued.",
    "a password described": "password: the user's password, hashed with argon2",
    "a parameter described": ":param password: The password to verify against the stored hash.",
    "a docstring of arguments": "    token: The token to refresh.\n    secret: Shared secret, required.",
    "a password that is said to be something": "the password is base64 encoded and the token is sha256 hashed",
    "an error message": 'raise AuthError("invalid token: expired")',
    "a message about a password": 'error = "Password must not be empty"',
    "help for a flag": 'help="The password to use for login"',
    "a prompt": "password = input('Password: ')",
    "a prompt by name": 'password_prompt = "Enter your password"',
    "a call": "token = get_token()",
    "an awaited call": "token = await client.fetch_token(scope)",
    "a call with a text": 'password = config.get("db_password", default)',
    "None": "password=None",
    "an optional": "def login(user: str, password: str | None = None) -> Token:",
    "a null": '"password": null, "token": true',
    "an empty text": "password = ''",
    "a name": 'secret_name="db"',
    "a path to a secret": "SECRET_FILE=/run/secrets/db_password",
    "a password file": "password_file: /etc/app/password.txt",
    "a token's address": 'TOKEN_URL = "https://auth.test/oauth/token"',
    "a type hint": "password: str",
    "a type hint in TypeScript": "interface Login { user: string; password: string; token?: string }",
    "a typed field in Rust": "pub struct Login { password: String, token: Option<String>, key: &'static str }",
    "a typed field in Go": 'type Login struct {\n\tPassword string `json:"password"`\n\tToken    string\n}',
    "a typed field in Java": "private final String password;",
    "a dataclass": "    api_key: SecretStr\n    token: Optional[str] = None\n",
    "a placeholder": "API_KEY=<your-token>",
    "a placeholder of letters": "password: xxxxxxxx",
    "a placeholder of stars": "password: ********",
    "a placeholder in words": "export API_TOKEN=your-token-here",
    "a shell variable": "DB_PASSWORD=$SECRET_PASSWORD",
    "a shell default": "DB_PASSWORD=${DB_PASSWORD:-}",
    "a command substitution": "TOKEN=$(cat /run/secrets/token)",
    "a template": "password: {{ vault_db_password }}",
    "a GitHub expression": "token: ${{ secrets.GITHUB_TOKEN }}",
    "a formatted text": 'headers = {"Authorization": f"Bearer {token}"}',
    "a formatted address": 'url = f"postgres://{user}:{password}@{host}/{name}"',
    "an address with variables": "postgres://$USER:${PASSWORD}@localhost/db",
    "an address with placeholders": "postgres://<user>:<password>@<host>/db",
    "an address without a password": "ssh://git@github.com:22/pallets/flask.git",
    "an scp address": "git@github.com:pallets/flask.git",
    "an address with a port": "http://localhost:8080/@user/profile",
    "an environment look-up": 'api_key = os.environ["API_KEY"]',
    "an environment look-up with a default": 'key = os.getenv("API_KEY", "")',
    "an environment look-up in JavaScript": "const token = process.env.API_TOKEN;",
    "an environment look-up in Rust": 'let token = std::env::var("API_TOKEN")?;',
    "a setting": "app.config['SECRET_KEY'] = settings.SECRET_KEY",
    "an attribute": "self.password = password",
    "a dotted value": "token = request.headers.token",
    "a shorthand": "login({ user: user, password: password, token: tok })",
    "keyword arguments": "login(user=user, password=pw, token=tok)",
    "a count": "max_tokens = 1200",
    "a count of tokens": "tokens: 4096",
    "a budget": '{"tokens": 350, "token_budget": 1200}',
    "a tokenizer": 'tokenizer = "cl100k_base"\ntoken_type = "bearer"',
    "a token of a grammar": 'eos_token = "</s>"\npad_token = "[PAD]"\nnext_token = lexer.next()',
    "a primary key": 'primary_key = "id"\nforeign_key = "user_id"\nsort_key = "created_at"',
    "a public key's name": 'public_key = "keys/app.pub"',
    "a cache key": 'cache_key = "user:42:profile"',
    "an input": '<input type="password" name="password" id="password">',
    "a label": '<label for="password">Password</label>',
    "the names of fields": 'FIELDS = ("username", "password", "token")',
    "a schema": '"password": {"type": "string", "minLength": 8}',
    "an OpenAPI type": 'password: "string"',
    "a form's field": 'request.form["password"]',
    "options in prose": "given via the --username and --password options",
    "a word of a grammar": "if token == 'root':",
    "a mark": 'if password == "-":',
    "a masked address": "http://ada:[secure]@example.org/",
    "a user beside a secret": "MYAPI_CREDENTIALS_USERNAME=user123",
    "a flag in prose": "use --password to be asked, --token is deprecated",
    "a flag with a metavariable": "memlsp mcp --token TOKEN --password PASSWORD",
    "a declared flag": 'parser.add_argument("--token", default=None, help="API token")',
    "a bearer in prose": "Bearer authentication is used; basic authentication is not.",
    "a header's name": 'request.headers.get("Authorization")',
    "a header that is required": "Authorization: required",
    "a user id": "docker run -u 1000:1000 app",
    "a ratio in a test": "pass=5 fail=2 skip=1",
    "pass in a sentence": "pass: all 12 tests",
    "a time and a hash": "1699999999:2ac89889f4cc330eabd50f295dcef02828522c69",
    "a long name": "class AbstractAuthenticationTokenProviderFactoryBean2ConfigurationTest:",
    "a package": "pip install pypi-attestations pypi-simple",
    "a style": ".sk-fading-circle-container-wrapper-inner { color: red }",
    "an upper-case name": "APACHELICENSEVERSION = 2",
    "a model": "hf_hub_download(repo_id='bert')",
    "a region": "bucket = 'logs-eu-west-1'",
    "an author line": "Author: Ada Lovelace <ada@example.org>",
    "an e-mail": "mailto:ada@example.org?subject=token",
    "a rule for a scanner": r'pattern = re.compile(r"ghp_[A-Za-z0-9]{36}")',
    "a redacted value": "password: [redacted:password]",
    "an arn": 'secret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db"',
    "a reference to a vault": 'password: "vault://kv/db"',
    "a retry rule": "The token is refreshed 30 s before it expires; retry 3 times.",
    "a comparison": "if token == other_token or secret != expected:",
    "a signature in Go": "func Login(user, password string) (token string, err error) {",
    "a lambda": "key=lambda item: item.token",
    "a dictionary of names": "{'password': password_field, 'secret': secret_ref}",
}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_taken_out(name: str) -> None:
    text, gone = SECRETS[name]
    redacted = redact(text)
    assert redacted.found, redacted.text
    assert "[redacted:" in redacted.text
    pattern = gone if re.search(r"\[[A-Za-z0-9-]+\]$|\|", gone) else re.escape(gone)
    assert not re.search(pattern, redacted.text), redacted.text


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_look_alike_stays(name: str) -> None:
    text = LOOK_ALIKES[name]
    assert redact(text).text == text
    assert redact(text).found == ()


def test_what_is_marked_private_is_gone_without_a_trace() -> None:
    redacted = redact("keep <private>our margin is 40 %</private> this")
    assert redacted.text == "keep  this"
    assert redacted.found == ("private",)


def test_private_marks_may_be_nested_and_of_any_case() -> None:
    assert redact("a <PRIVATE>b <private>c</private> d</Private> e").text == "a  e"


def test_a_private_mark_that_is_never_closed_hides_the_rest() -> None:
    assert redact("keep <private>the rest").text == "keep "


@pytest.mark.parametrize(
    "text",
    [
        'keep {"a": "\\u003cprivate\\u003e our margin \\u003c/private\\u003e"}',
        'keep {"a": "<private> our margin <\\/private>"}',
        "keep &lt;private&gt; our margin &lt;/private&gt;",
        'keep {"a": "{\\"b\\": \\"\\\\u003Cprivate\\\\u003E our margin \\\\u003C/private\\\\u003E\\"}"}',
        "keep <private> our margin \\u003c/private\\u003e",
    ],
)
def test_private_marks_are_known_in_what_carries_them(text: str) -> None:
    redacted = redact(text)
    assert "margin" not in redacted.text
    assert redacted.text.startswith("keep")
    assert redacted.found == ("private",)


def test_a_private_mark_whose_beginning_was_cut_off_hides_what_is_before() -> None:
    assert redact("our margin</private> keep").text == " keep"
    assert redact("a <private>b</private> c</private> keep").text == " keep"


def test_marks_that_a_removed_span_brought_together_are_marks_again() -> None:
    assert redact("a <pri<private>x</private>vate>b").text == "a "


_PERSONAL = ("email", "phone", "card")
_CARDS = ["4111 1111" + " 1111 1111", "3782 822463" + " 10005", "55555555" + "55554444", "6011-1111" + "-1111-1117"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to ada.lovelace+x@mail.example.org.", "email"),
        ("Author: Ada <ada@example.org>", "email"),
        ("call +49 30 1234567-89, please", "phone"),
        ("call +49 (0)30 1234567 and ask", "phone"),
        ("+14155550132", "phone"),
        ("(415) 555-0132", "phone"),
        ("Tel.: 030 / 123 45 67", "phone"),
        *((f"paid with {card} today", "card") for card in _CARDS),
    ],
)
def test_personal_data_goes_where_it_is_asked_for(text: str, kind: str) -> None:
    assert redact(text).text == text
    assert redact(text, _PERSONAL).found == (kind,)
    assert redact(text, tuple(each for each in _PERSONAL if each != kind)).text == text


@pytest.mark.parametrize(
    "text",
    [
        "@app.route('/x')",
        "git@github.com:pallets/flask.git",
        "https://user@host.example.org/x",
        "released 2026-11-21 12:30:00.123456",
        "10.0.200.1:8080 and 192.168.100.200",
        "timeout = 4111111111111112",
        "id 4111 1111 1111 1112",
        "flask 3.1.2, werkzeug 3.0.1",
        "1699999999123",
        "lines 120-340 of 5551",
        "0x4242424242424242",
        "2ac89889f4cc330eabd50f295dcef02828522c69",
        "decorator @dataclass(frozen=True)",
        "npm install @types/node@20.1.0",
        "+1 -1 +100",
        "call foo(1234567)",
    ],
)
def test_numbers_and_signs_of_code_are_no_personal_data(text: str) -> None:
    assert redact(text, _PERSONAL).text == text


@given(st.text(alphabet=string.digits + " -+().@abc", max_size=200))
def test_personal_data_is_taken_out_once(text: str) -> None:
    once = redact(text, _PERSONAL).text
    assert redact(once, _PERSONAL).text == once


def test_the_kinds_are_told_in_the_order_of_the_text() -> None:
    text = f"token: {'gh' + 'p_' + _some(36)}\npassword: {_WORD}\nAuthorization: Bearer {_some(30)}"
    assert redact(text).found == ("token", "password", "authorization")


def test_only_the_secret_is_replaced() -> None:
    text = f"export DB_PASSWORD={_WORD}  # rotated in May"
    assert redact(text).text == "export DB_PASSWORD=[redacted:password]  # rotated in May"


def test_a_key_block_leaves_what_surrounds_it() -> None:
    assert redact(f"before\n{_PEM}\nafter").text == "before\n[redacted:private-key]\nafter"


@pytest.mark.parametrize(
    ("before", "secret"),
    [
        ("DB_PASSWORD=", _STRONG),
        ("token ", "gh" + "p_" + _some(36)),
        ("aws_secret_access_key = ", _40),
        ("", _JWT),
        ("", _PEM),
    ],
)
def test_no_part_of_a_secret_is_left_wherever_a_cap_falls(before: str, secret: str) -> None:
    lines = [line for line in secret.split("\n") if "KEY" not in line]
    for place in range(0, len(secret), 1 + len(secret) // 60):
        head = "quiet\n" * (1 + (3_000 - len(before) - place) // 6)
        text = head[-(3_000 - len(before) - place) :] + before + secret + "\n" + "quiet\n" * 2_000
        for whole in (text, text[::-1][: len(text) - len(secret) - 3_000][::-1] + before + secret):
            kept, _ = shortened(redact(whole).text, 4_000)
            assert not any(line[at : at + 6] in kept for line in lines for at in range(len(line) - 5)), place


def test_every_line_of_a_key_goes() -> None:
    left = redact("\n".join(f"    # {line}" for line in _PEM.split("\n"))).text
    assert not any(line in left for line in _LINES)


@pytest.mark.parametrize("name", SECRETS)
def test_redacting_twice_changes_nothing_more(name: str) -> None:
    once = redact(SECRETS[name][0]).text
    assert redact(once).text == once


_PIECES = st.sampled_from(
    [
        "password",
        "token",
        "api_key",
        "secret",
        ":",
        "=",
        " ",
        '"',
        "'",
        "\n",
        "\\",
        "{",
        "}",
        "<private>",
        "</private>",
        _WORD,
        "://",
        "@",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "eyJ",
        ".",
        "--",
    ]
)


@given(st.lists(_PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_any_text_can_be_redacted_and_stays_so(text: str) -> None:
    once = redact(text)
    assert "<private>" not in once.text
    assert redact(once.text).text == once.text


@given(st.text(alphabet=string.ascii_lowercase + " ,.\n", max_size=300))
def test_prose_without_a_telling_word_is_never_touched(text: str) -> None:
    if not re.search("pass|pwd|secret|token|key|cred|auth|login|bearer|basic|private", text):
        assert redact(text).text == text


_HOSTILE = [
    "password",
    "password:",
    "password: ",
    "password = '",
    "password='a",
    "password" + " " * 50,
    "pass",
    "${",
    "$",
    "\\",
    "eyJhbGciOiJIUzI1NiJ9.",
    "/",
    "://a:",
    "://",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----\n",
    "MIIEpAIBAAKCAQEA1234567890\n",
    "MIIEpAIBAAKCAQEA",
    "<private>",
    "<private></private>",
    "sk-",
    "curl -u ",
    "--token ",
    "Authorization: ",
    "AKIA",
    "password=${{{{",
    "<password>",
    "token is ",
    "token=a.b.",
    "data:image/png;base64,",
    '{"key": "',
    "1234567890",
    "deadbeef01",
    "xoxb-1-",
    "\n",
    "?sig=",
    "token: str | None",
    "hooks.slack.com/services/T",
    "a@",
    "sha512-",
]


@pytest.mark.parametrize("piece", _HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    def effort(length: int) -> float:
        text = piece * (length // len(piece))
        began = time.process_time()
        redact(text)
        return time.process_time() - began

    redact("x1" * 30)  # loads the detectors
    small = min(effort(4_000) for _ in range(3))
    # eight times the text; quadratic work would be sixty-four times as long, each time it is done: the first may have
    # to compile a pattern, or to collect the garbage of other tests
    assert min(effort(32_000) for _ in range(3)) < 40 * max(small, 0.002)


def test_a_megabyte_on_one_line_is_redacted() -> None:
    text = "x = [" + ", ".join(f"{number}" for number in range(150_000)) + f"]; password = '{_WORD}'"
    assert redact(text).text.endswith("password = '[redacted:password]'")


def test_nothing_goes_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        message = "redaction opened a socket"
        raise AssertionError(message)

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for text, _ in SECRETS.values():
        redact(text)


def test_plain_words_do_not_load_the_detectors() -> None:
    program = (
        "import sys; from memlsp.capture.redaction.redaction import redact;"
        " redact('We retry three times because of the proxy.');"
        "print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
