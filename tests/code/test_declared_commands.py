"""The commands and options that the code of a program declares."""

from __future__ import annotations

import pytest

from memlsp.code.workspace.command_reader import read_commands
from memlsp.code.workspace.declared_commands import DeclaredCommands

CLICK = {
    "acme/cli.py": b"""
import click
from acme.database import db

@click.group()
def main(): ...

@main.command("sync")
@click.option("--dry-run/--wet")
def do_sync(dry_run): ...

@main.command()
def list_all(): ...

main.add_command(db)
""",
    "acme/database.py": b"""
import click

@click.group()
def db(): ...

@db.command(aliases=["mig"])
@click.option("--to", "target")
def migrate(target): ...
""",
}
TYPER = {
    "app/__init__.py": b"""
import typer
from . import users
from .dumps import app as dumps

app = typer.Typer()
app.add_typer(users.app, name="users")
app.add_typer(dumps, name="dump")

@app.command()
def serve(port: int = 8000, open_browser: bool = False): ...

app.command("purge")(purge_everything)
""",
    "app/users.py": b"""
import typer
app = typer.Typer()

@app.command("create")
def create_user(name: str, admin: bool = typer.Option(False, "--admin")): ...
""",
    "app/dumps.py": b"""
import typer
app = typer.Typer()

@app.command()
def everything(): ...
""",
}
ARGPARSE = {
    "tool.py": b"""
import argparse

def build():
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("--config")
    commands = parser.add_subparsers(dest="command")
    run = commands.add_parser("run", aliases=["r"])
    group = run.add_argument_group("speed")
    group.add_argument("-f", "--fast", action="store_true")
    add_remote(commands)

def add_remote(subparsers):
    remote = subparsers.add_parser("remote")
    inner = remote.add_subparsers()
    inner.add_parser("add")
"""
}
COBRA = {
    "cmd/acme/root.go": b"""package main

import ("github.com/spf13/cobra"; "example.com/acme/internal/db")

var rootCmd = &cobra.Command{Use: "acme"}
var syncCmd = &cobra.Command{Use: "sync [dir]", Aliases: []string{"s"}}

func init() {
	rootCmd.PersistentFlags().StringVar(&cfg, "config", "", "")
	flags := syncCmd.Flags()
	flags.BoolVarP(&dry, "dry-run", "n", false, "")
	rootCmd.AddCommand(syncCmd, db.NewCmd())
}
""",
    "internal/db/db.go": b"""package db

import "github.com/spf13/cobra"

func NewCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "db"}
	cmd.AddCommand(newMigrate())
	return cmd
}

func newMigrate() *cobra.Command { return &cobra.Command{Use: "migrate"} }
""",
}
CLAP = {
    "src/main.rs": b"""
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "rx")]
struct Cli { #[arg(long, global = true)] verbose: bool, #[command(subcommand)] command: Commands }

#[derive(Subcommand)]
enum Commands {
    /// Lists.
    ListAll,
    #[command(name = "push", visible_alias = "p")]
    Upload(UploadArgs),
    Db { #[command(subcommand)] inner: DbCommand },
}

#[derive(Args)]
struct UploadArgs { #[arg(long)] dry_run: bool, #[arg(long = "to")] target: String }

#[derive(Subcommand)]
enum DbCommand { Migrate, Reset { #[arg(long)] hard: bool } }
"""
}
CLAP_BUILDER = {
    "src/cli.rs": b"""
use clap::{Arg, Command};

fn cli() -> Command {
    Command::new("bx")
        .subcommand(Command::new("fetch").arg(Arg::new("deep").long("deep")))
        .subcommand(Command::new("gc"))
}
"""
}
COMMANDER = {
    "bin/jx.js": b"""
const { Command } = require("commander");
const program = new Command();
program.name("jx");
program.command("deploy <env>").alias("d").description("").option("-f, --force", "").action(() => {});
const db = program.command("db");
db.command("seed").action(seed);
program.parse();
"""
}


def lines_of(files: dict[str, bytes]) -> DeclaredCommands:
    read = ((path, read_commands(path, source)) for path, source in files.items())
    return DeclaredCommands((path, each) for path, each in read if each is not None)


@pytest.mark.parametrize(
    ("files", "commands", "others"),
    [
        (CLICK, ["sync", "list-all", "db migrate", "db mig"], ["migrate", "do-sync", "sync migrate"]),
        (TYPER, ["serve", "purge", "users create", "dump everything"], ["create", "everything", "users everything"]),
        (ARGPARSE, ["run", "r", "remote add"], ["add", "run add"]),
        (COBRA, ["sync", "s", "db migrate"], ["migrate", "sync migrate"]),
        (CLAP, ["list-all", "push", "p", "db migrate", "db reset"], ["upload", "migrate"]),
        (CLAP_BUILDER, ["fetch", "gc"], ["fetch gc", "deep"]),
        (COMMANDER, ["deploy", "d", "db seed"], ["seed", "deploy seed"]),
    ],
    ids=["click", "typer", "argparse", "cobra", "clap", "clap builder", "commander"],
)
def test_the_commands_of_a_program_are_known_with_their_groups(
    files: dict[str, bytes], commands: list[str], others: list[str]
) -> None:
    lines = lines_of(files)
    assert [each for each in (*commands, *others) if lines.find(each.split())[0] == len(each.split())] == commands


@pytest.mark.parametrize(
    ("files", "command", "option", "other"),
    [
        (CLICK, "sync", "--dry-run", "--to"),
        (CLICK, "db migrate", "--to", "--dry-run"),
        (TYPER, "users create", "--admin", "--port"),
        (TYPER, "serve", "--open-browser", "--admin"),
        (ARGPARSE, "run", "--fast", "--slow"),
        (ARGPARSE, "remote", "--config", "--fast"),
        (COBRA, "sync", "--dry-run", "--force"),
        (COBRA, "db migrate", "--config", "--dry-run"),
        (CLAP, "push", "--to", "--hard"),
        (CLAP, "db reset", "--hard", "--to"),
        (CLAP, "list-all", "--verbose", "--dry-run"),
        (CLAP_BUILDER, "fetch", "--deep", "--hard"),
        (COMMANDER, "deploy", "--force", "--open"),
    ],
)
def test_an_option_belongs_to_its_command(files: dict[str, bytes], command: str, option: str, other: str) -> None:
    lines = lines_of(files)
    _, places = lines.find(command.split())
    assert lines.has_option(places, option)
    assert not lines.has_option(places, other)


def test_a_name_that_is_computed_leaves_the_commands_open() -> None:
    source = (
        b"import argparse\nsub = argparse.ArgumentParser().add_subparsers()\nfor n in NAMES:\n    sub.add_parser(n)\n"
    )
    assert lines_of({"tool.py": source}).is_open
    made = (
        b"import click\n\nfor name, function in FOUND:\n    main.add_command(click.Command(name, callback=function))\n"
    )
    assert lines_of({"tool.py": made}).is_open
    assert not lines_of({"tool.py": made.replace(b"Command(name", b"Command('sync'")}).is_open


@pytest.mark.parametrize(
    "source",
    [
        b"import click\n" + b"f(" * 30_000,
        b"import click\nx" + b".command('a')" * 8_000,
        b"import click\nx = " + b"[" * 50_000 + b"]" * 50_000,
        b"from click import *\nfrom . import (\n",
    ],
)
def test_hostile_code_ends(source: bytes) -> None:
    lines_of({"cli.py": source}).find(["a"])
