"""Completion in real shells: hostile names run nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.cli.completion import BASH, LINE, MAX_NAME, PART, SHELLS, is_safe
from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.discovery.store import MethodLists
from rpcexplorer.history.folder import History
from rpcexplorer.model.method import Described, DescribedParam, Method
from rpcexplorer.model.profile import Profile
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.history.recording import exchange

URL = "http://127.0.0.1:9"
SHOP = f'[profile.shop]\nurl = "{URL}"\nauth = {{ kind = "none" }}\n'
HOSTILE = (
    "yy$(>x)", "yy$(touch x)", "yy`touch x`", "yy;touch x", "yy&touch x", "yy|touch x", "yy>x", "yy\ntouch x",
    "yy\nplain,$(touch x)",
    "yy' touch x '", 'yy"$(touch x)"', "yy\\", "yy*", "yy?", "yy[a]", "yy{a,b}", "yy!1", "yy#", "yy=x", "yy,x", "yy(x)",
    "yy\tx", "yy\rx", "yy\x1b[31m", "yy\x07", "yy\x00", "yy\u202e", "yy\u00a0x", "yy\u200b", "~yy", "-yy", "--yy",
    " yy", "yy ", "", " ", "yy" * MAX_NAME,
)  # fmt: skip
PLAIN = ("yy.one", "yy_two", "yy/three", "yy@four", "yy-five", "yy:six", "über.zwölf", "9")


@pytest.fixture
def person(tmp_path: Path) -> Shell:
    """Return a shell with `rpcexplorer` on its path and one profile."""
    shell = Shell(tmp_path)
    shell.sessions(SHOP)
    program = tmp_path / "bin" / "rpcexplorer"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rpcexplorer "$@"\n')
    program.chmod(0o755)
    return shell


def discovered(shell: Shell, *names: str) -> None:
    found = Discovery(datetime.now(UTC), tuple(Method(name) for name in names))
    MethodLists(shell.home / "cache" / "catalogues").settle(Profile("shop", URL), found)


def environment(shell: Shell, **more: str) -> dict[str, str]:
    path = os.pathsep.join([str(shell.home.parent / "bin"), os.environ["PATH"]])
    return {**shell.environment, "PATH": path, "HOME": str(shell.home), **more}


def bash(shell: Shell, start: str = "") -> Terminal:
    """Start an interactive bash that has the script, and wait for its prompt."""
    script = shell.home.parent / "completion.bash"
    script.write_text(f"PS1='READY> '\n{BASH}{start}")
    program = f"import os; os.execvp('bash', ['bash', '--noprofile', '--rcfile', {str(script)!r}, '-i'])"
    terminal = Terminal([], environment(shell, INPUTRC=os.devnull), shell.folder, (100, 30), start=("-c", program))
    terminal.sees("READY>")
    return terminal


def emitted(shell: Shell, kind: str, *words: str) -> str:
    """Return the completions that the script of such a shell gets."""
    variables = {COMPLETING: f"{kind}_complete"}
    if kind == "bash":
        variables |= {LINE: " ".join(["rpcexplorer", *words]), PART: words[-1]}
    else:
        variables |= {"COMP_WORDS": " ".join(["rpcexplorer", *words])}
        variables |= {"COMP_CWORD": words[-1] if kind == "fish" else str(len(words))}
    with pytest.MonkeyPatch.context() as patched:  # click reads the words from there
        for name, value in variables.items():
            patched.setenv(name, value)
        ran = shell.run(**variables)  # type: ignore[arg-type]
    assert (ran.code, ran.err) == (0, "")
    return ran.text


def asked(shell: Shell, *python: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the real program with these variables."""
    return subprocess.run(  # noqa: PLW1510 - the tests check the exit code
        [sys.executable, *(python or ("-m", "rpcexplorer"))],
        env=environment(shell, **variables), cwd=shell.folder, capture_output=True, text=True, timeout=20,
    )  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_names_with_shell_syntax_are_not_offered(name: str) -> None:
    assert not is_safe(name)


@pytest.mark.parametrize("name", [*PLAIN, "yy with spaces"])
def test_names_of_harmless_characters_are_offered(name: str) -> None:
    assert is_safe(name)


def with_params(shell: Shell, *params: DescribedParam) -> None:
    found = Discovery(datetime.now(UTC), (Method("m"),), described={"m": Described(params)})
    MethodLists(shell.home / "cache" / "catalogues").settle(Profile("shop", URL), found)


@pytest.mark.parametrize("kind", ["fish", "zsh", "bash"])
def test_params_are_offered_by_name_with_their_choices(person: Shell, kind: str) -> None:
    colours = {"enum": ["red", "$(>x)", "dark blue", "a=b", None, 7, "-1"]}
    with_params(
        person, DescribedParam("colour", colours), DescribedParam("count", {"type": "integer"}),
        DescribedParam("yy$(>x)", {"type": "string"}), DescribedParam(""), DescribedParam("flag", {"type": "boolean"}),
    )  # fmt: skip

    def names(*words: str) -> set[str]:
        lines = emitted(person, kind, *words).splitlines()
        found = lines[1::3] if kind == "zsh" else [line.partition(",")[2].partition("\t")[0] for line in lines]
        return {*found} - {""}

    assert names("call", "m", "") == {"colour=", "count:=", "flag:="}
    assert names("params", "m", "--check", "co") == {"colour=", "count:="}
    assert names("call", "m", "colour=red", "") == {"count:=", "flag:="}
    assert names("call", "m", "colour:=") >= {"colour:=7", "colour:=null"} if kind != "bash" else {"7", "null"}
    assert names("notify", "m", "flag:=t") == {"flag:=true"}
    if kind == "fish":
        assert names("call", "m", "colour=") == {"colour=red", "colour=dark blue", "colour=-1"}
    assert names("call", "m", "yy") == set()
    assert names("call", "nobody", "") == set()


def test_checks_are_offered_by_name_and_file(person: Shell) -> None:
    call = '[call.{}]\nmethod = "m"\n'
    with (person.folder / "sessions.toml").open("a") as file:
        file.write(call.format("xping") + 'expect.outcome = "result"\n')
        file.write(call.format('"x$(>x)"') + 'expect.outcome = "result"\n' + call.format("xother"))
    assert emitted(person, "fish", "check", "@x").split() == ["plain,@xping"]
    assert emitted(person, "fish", "check", "x").split() == ["file,x"]


@pytest.mark.thorough
def test_bash_completes_behind_the_sign_of_a_param(person: Shell) -> None:
    with_params(person, DescribedParam("colour", {"enum": ["red", "blue"]}), DescribedParam("a", {"const": "$(>x)"}))
    with bash(person, "rpcexplorer() { printf '<%s>' \"$@\"; echo; }\n") as terminal:
        terminal.type("rpcexplorer call m col\tr\ta\tx\r")
        terminal.sees("<call><m><colour=red><a=x>")
    assert not (person.folder / "x").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["discovered", "recorded", "noted"])
def test_bash_runs_nothing_of_a_method_name(person: Shell, source: str) -> None:
    name = "yy$(>x)"
    if source == "discovered":
        discovered(person, name)
    elif source == "recorded":
        History(person.home / "state" / "history").append(exchange(method=name, profile="shop", url=URL))
    else:
        person.sessions(SHOP + f"[profile.shop.method.'{name}']\ndoc = 'nothing'\n")
    with bash(person) as terminal:
        terminal.type("rpcexplorer call y\t\recho it $((1 + 1))nded\r")
        terminal.sees("it 2nded")
    assert [path.name for path in person.folder.iterdir()] == ["sessions.toml"]


@pytest.mark.thorough
def test_bash_completes_colons_spaces_quotes_and_own_files(person: Shell) -> None:
    discovered(person, "ns:two:last", "ns:two:list", "one word", "one world", "yy$(touch x)")
    hostile = person.folder / "zz$(touch x)"
    hostile.write_text("")
    with bash(person, "rpcexplorer() { printf '<%s>' \"$@\"; echo; }\n") as terminal:
        terminal.type("rpcexplorer call ns:t\ti\t\r")
        terminal.sees("<call><ns:two:list>")
        terminal.type("rpcexplorer call o\tl\t\r")
        terminal.sees("<call><one world>")
        terminal.type("rpcexplorer call 'one wor\td\t\r")
        terminal.sees("<call><one word>")
        terminal.type("rpcexplorer call one\\ word\t\r")
        terminal.sees("<call><one word>")
        terminal.type("rpcexplorer -p sh\t\r")
        terminal.sees("<-p><shop>")
        terminal.type("rpcexplorer profiles check z\t\r")
        terminal.sees("<profiles><check><zz$(touch x)>")
    assert not (person.folder / "x").exists()


@pytest.mark.parametrize("name", [*SHELLS])
def test_scripts_run_no_program_of_the_working_folder(person: Shell, name: str) -> None:
    script = person.run("completion", name).text
    assert "rpcexplorer" in script
    assert "$1" not in script
    assert person.run(**{COMPLETING: f"{name}_source"}).text == script  # type: ignore[arg-type]
    if name != "bash":
        return
    (person.folder / "rpcexplorer").write_text("#!/bin/sh\ntouch x\n")
    (person.folder / "rpcexplorer").chmod(0o755)
    with bash(person) as terminal:
        terminal.type("./rpcexplorer hist\t")
        terminal.sees("./rpcexplorer history")
    assert not (person.folder / "x").exists()


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("bash", ["plain,'y z'", "plain,y.z", "plain,y:z"]),
        ("zsh", ["plain", "y z", "_", "plain", "y.z", "_", "plain", "y:z", "_"]),
        ("fish", ["plain,y z", "plain,y.z", "plain,y:z"]),
    ],
)
def test_each_shell_gets_its_format_and_writes_nothing(person: Shell, kind: str, lines: list[str]) -> None:
    discovered(person, *HOSTILE, "y:z", "y z", "y.z")
    before = person.files()
    assert emitted(person, kind, "call", "y").splitlines() == lines
    assert person.files() == before


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_options_and_choices_are_offered_with_their_help(person: Shell, kind: str) -> None:
    assert emitted(person, kind, "call", "--he") == {
        "bash": "plain,--help\n",
        "zsh": "plain\n--help\nShow this message and exit.\n",
        "fish": "plain,--help\tShow this message and exit.\n",
    }[kind]  # fmt: skip
    assert "httpie" in emitted(person, kind, "copy", "--as", "h")
    found = emitted(person, kind, "profiles", "check", "$(x)").splitlines()
    # the typed word
    assert found == {"bash": ["file,"], "zsh": ["file", "$(x)", "_"], "fish": ["file,$(x)"]}[kind]


def test_zsh_inserts_no_space_behind_name_of_param(person: Shell) -> None:
    assert """compadd -U -V unsorted -S '' -- "${(@M)completions:#*=}"\n""" in person.run("completion", "zsh").text


def test_fish_keeps_descriptions_with_commas(person: Shell) -> None:
    assert 'string split -m 1 "," $completion' in person.run("completion", "fish").text


def test_saved_calls_safe_for_a_shell_are_offered(person: Shell) -> None:
    file = person.folder / "sessions.toml"
    file.write_text(file.read_text() + '[call."list users"]\nmethod = "m"\n[call."l$(touch x)"]\nmethod = "m"\n')
    assert emitted(person, "bash", "call", "@l") == "plain,'@list users'\n"


@pytest.mark.thorough
def test_words_of_the_script_of_click_are_accepted(person: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    discovered(person, "y z", "yy$(touch x)")
    monkeypatch.delenv(LINE, raising=False)
    ran = asked(person, **{COMPLETING: "bash_complete", "COMP_WORDS": "rpcexplorer\ncall\ny", "COMP_CWORD": "2"})
    assert (ran.stdout, ran.stderr) == ("plain,'y z'\n", "")


def test_completion_uses_no_keyring_connection_or_process(person: Shell) -> None:
    (person.home / "config").mkdir(parents=True)
    (person.home / "config" / "settings.toml").write_text('[secrets]\nstore = "keyring"\n')
    (person.folder / "sessions.local.toml").write_text("this is no TOML [")
    discovered(person, "y.z")
    watch = (
        "import sys\n"
        "def heard(event, _):\n"
        "    if event.startswith(('subprocess', 'socket', 'os.system', 'os.exec', 'os.posix_spawn', 'os.fork')):\n"
        "        print('heard', event)\n"
        "sys.addaudithook(heard)\n"
        "sys.argv = ['rpcexplorer']\n"
        "from rpcexplorer.__main__ import main\n"
        "main()\n"
        "print([name for name in ('keyring', 'httpx', 'textual') if name in sys.modules])\n"
    )
    ran = asked(person, "-c", watch, **{COMPLETING: "bash_complete", LINE: "rpcexplorer -p shop call y", PART: "y"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "plain,y.z\n[]\n", "")


def test_endless_completion_ends_without_names(person: Shell) -> None:
    late = (
        "import time, rpcexplorer.__main__ as program, rpcexplorer.cli.completion as completing\n"
        "completing.answer = lambda *_: time.sleep(60)\n"
        "program.COMPLETION_SECONDS = 0.01\n"
        "program.main()\n"
    )
    ran = asked(person, "-c", late, **{COMPLETING: "bash_complete"})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.thorough
@pytest.mark.parametrize("broken", [{"COMP_WORDS": "x", "COMP_CWORD": "x"}, {}])
def test_invalid_completion_request_gets_no_answer(person: Shell, broken: dict[str, str]) -> None:
    ran = asked(person, **{COMPLETING: "bash_complete"}, **broken)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
