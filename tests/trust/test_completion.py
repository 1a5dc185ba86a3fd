"""Completion in real shells: a name that a server, a team's file or a history holds runs nothing and breaks nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.cli.completion import BASH, LINE, MAX_NAME, MAX_NAMES, PART, SHELLS, is_safe
from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.discovery.store import Catalogues
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
    """Somebody whose `rpcexplorer` is on the path of a shell, in a folder with one profile."""
    shell = Shell(tmp_path)
    shell.sessions(SHOP)
    program = tmp_path / "bin" / "rpcexplorer"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rpcexplorer "$@"\n')
    program.chmod(0o755)
    return shell


def discovered(shell: Shell, *names: str) -> None:
    found = Discovery(datetime.now(UTC), tuple(Method(name) for name in names))
    Catalogues(shell.home / "cache" / "catalogues").settle(Profile("shop", URL), found)


def environment(shell: Shell, **more: str) -> dict[str, str]:
    path = os.pathsep.join([str(shell.home.parent / "bin"), os.environ["PATH"]])
    return {**shell.environment, "PATH": path, "HOME": str(shell.home), **more}


def bash(shell: Shell, start: str = "") -> Terminal:
    """An interactive bash that has the script, at its prompt."""
    script = shell.home.parent / "completion.bash"
    script.write_text(f"PS1='READY> '\n{BASH}{start}")
    program = f"import os; os.execvp('bash', ['bash', '--noprofile', '--rcfile', {str(script)!r}, '-i'])"
    terminal = Terminal([], environment(shell, INPUTRC=os.devnull), shell.folder, (100, 30), start=("-c", program))
    terminal.sees("READY>")
    return terminal


def emitted(shell: Shell, kind: str, *words: str) -> str:
    """What such a shell's script is answered."""
    variables = {COMPLETING: f"{kind}_complete"}
    if kind == "bash":
        variables |= {LINE: " ".join(["rpcexplorer", *words]), PART: words[-1]}
    else:
        variables |= {"COMP_WORDS": " ".join(["rpcexplorer", *words])}
        variables |= {"COMP_CWORD": words[-1] if kind == "fish" else str(len(words))}
    with pytest.MonkeyPatch.context() as patched:  # click reads them from there
        for name, value in variables.items():
            patched.setenv(name, value)
        ran = shell.run(**variables)  # type: ignore[arg-type]
    assert (ran.code, ran.err) == (0, "")
    return ran.text


def asked(shell: Shell, *python: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The same by the real program."""
    return subprocess.run(  # noqa: PLW1510 - what comes of it is looked at
        [sys.executable, *(python or ("-m", "rpcexplorer"))],
        env=environment(shell, **variables), cwd=shell.folder, capture_output=True, text=True, timeout=20,
    )  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_could_mean_something_to_a_shell_is_not_offered(name: str) -> None:
    assert not is_safe(name)


@pytest.mark.parametrize("name", [*PLAIN, "yy with spaces"])
def test_a_name_of_letters_digits_and_harmless_signs_is_offered(name: str) -> None:
    assert is_safe(name)


def with_params(shell: Shell, *params: DescribedParam) -> None:
    found = Discovery(datetime.now(UTC), (Method("m"),), described={"m": Described(params)})
    Catalogues(shell.home / "cache" / "catalogues").settle(Profile("shop", URL), found)


@pytest.mark.parametrize("kind", ["fish", "zsh", "bash"])
def test_params_of_a_method_are_offered_by_name_and_their_values_where_only_some_may_stand(
    person: Shell, kind: str
) -> None:
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


@pytest.mark.thorough
def test_bash_goes_on_behind_the_sign_of_a_param(person: Shell) -> None:
    with_params(person, DescribedParam("colour", {"enum": ["red", "blue"]}), DescribedParam("a", {"const": "$(>x)"}))
    with bash(person, "rpcexplorer() { printf '<%s>' \"$@\"; echo; }\n") as terminal:
        terminal.type("rpcexplorer call m col\tr\ta\tx\r")
        terminal.sees("<call><m><colour=red><a=x>")
    assert not (person.folder / "x").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["discovered", "recorded", "noted"])
def test_tab_and_enter_in_bash_run_nothing_of_a_methods_name(person: Shell, source: str) -> None:
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
def test_bash_completes_names_with_colons_spaces_and_quotes_and_its_own_files(person: Shell) -> None:
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
def test_no_script_runs_the_program_of_a_working_folder(person: Shell, name: str) -> None:
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
def test_each_shell_is_answered_in_its_own_lines_and_no_file_is_written(
    person: Shell, kind: str, lines: list[str]
) -> None:
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
    assert found == {"bash": ["file,"], "zsh": ["file", "$(x)", "_"], "fish": ["file,$(x)"]}[kind]  # as it was typed


def test_zsh_inserts_no_space_behind_name_of_param(person: Shell) -> None:
    assert """compadd -U -V unsorted -S '' -- "${(@M)completions:#*=}"\n""" in person.run("completion", "zsh").text


def test_fish_keeps_descriptions_with_commas(person: Shell) -> None:
    assert 'string split -m 1 "," $completion' in person.run("completion", "fish").text


def test_saved_calls_are_offered_with_their_sign_as_far_as_a_shell_may_see_them(person: Shell) -> None:
    file = person.folder / "sessions.toml"
    file.write_text(file.read_text() + '[call."list users"]\nmethod = "m"\n[call."l$(touch x)"]\nmethod = "m"\n')
    assert emitted(person, "bash", "call", "@l") == "plain,'@list users'\n"


@pytest.mark.thorough
def test_the_words_that_clicks_own_script_sends_are_understood(person: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    discovered(person, "y z", "yy$(touch x)")
    monkeypatch.delenv(LINE, raising=False)
    came = asked(person, **{COMPLETING: "bash_complete", "COMP_WORDS": "rpcexplorer\ncall\ny", "COMP_CWORD": "2"})
    assert (came.stdout, came.stderr) == ("plain,'y z'\n", "")


def test_nothing_but_names_comes_of_it_no_keyring_no_connection_and_no_process(person: Shell) -> None:
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
    came = asked(person, "-c", watch, **{COMPLETING: "bash_complete", LINE: "rpcexplorer -p shop call y", PART: "y"})
    assert (came.returncode, came.stdout, came.stderr) == (0, "plain,y.z\n[]\n", "")


def test_what_never_ends_keeps_nobody_waiting(person: Shell) -> None:
    late = (
        "import time, rpcexplorer.__main__ as program, rpcexplorer.cli.completion as completing\n"
        "completing.answer = lambda *_: time.sleep(60)\n"
        "program.COMPLETION_SECONDS = 0.01\n"
        "program.main()\n"
    )
    came = asked(person, "-c", late, **{COMPLETING: "bash_complete"})
    assert (came.returncode, came.stdout, came.stderr) == (0, "", "")


def test_of_very_many_names_those_are_offered_that_show_what_all_have_in_common(person: Shell) -> None:
    discovered(person, *(f"y.{letter}{number}" for letter in "ab" for number in range(MAX_NAMES)))
    came = emitted(person, "bash", "call", "y").split()
    assert len(came) == MAX_NAMES
    assert {name[:9] for name in came} == {"plain,y.a", "plain,y.b"}


@pytest.mark.thorough
@pytest.mark.parametrize("broken", [{"COMP_WORDS": "x", "COMP_CWORD": "x"}, {}])
def test_a_question_that_no_shell_asks_is_answered_with_nothing(person: Shell, broken: dict[str, str]) -> None:
    came = asked(person, **{COMPLETING: "bash_complete"}, **broken)
    assert (came.returncode, came.stdout, came.stderr) == (0, "", "")
