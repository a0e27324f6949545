"""The loop of a session on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Always, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import HighlightMatchingBracketProcessor
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.styles import Style

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.data import unfinished
from exprgrad.errors import ExprgradError
from exprgrad.lazy import computed_once
from exprgrad.session import entries
from exprgrad.terminal import editing
from exprgrad.views.output import columns, emit_error, emit_lines

if TYPE_CHECKING:
    from exprgrad.session.session import Session

PROMPT, MORE = "> ", "… "


class Terminal:
    """One session on a terminal.

    The prompt is drawn before there is a session, which is imported before the first key is hit.
    """

    def __init__(self) -> None:
        own = editing.folder()
        path = own / "history" if own else None
        self.history = editing.FileHistory(
            path, lambda key: self.session.walk.takes(key)
        )
        self._warned, self._offered = False, ""
        self._preview = editing.Preview(lambda: self.session)
        self._editor: PromptSession[str] = PromptSession(
            lambda: [("class:prompt", self._prompt())],
            multiline=True,
            history=self.history,
            lexer=editing.Highlighter(lambda: self.session),
            completer=editing.Completions(lambda: self.session),
            complete_while_typing=False,
            input_processors=[HighlightMatchingBracketProcessor(chars="()[]{}")],
            key_bindings=_keys(),
            bottom_toolbar=self._status,
            prompt_continuation=lambda *_: MORE,
            style=Style.from_dict(editing.STYLES),
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            enable_open_in_editor=False,
        )
        for window in self._editor.layout.find_all_windows():
            if window.content is self._editor.layout.current_control:
                window.dont_extend_height = Always()  # the status stands right below

    @computed_once
    def session(self) -> Session:
        """The session."""
        from exprgrad.session.session import Session

        return Session()

    def _prompt(self) -> str:
        """Return what stands before the line: a walk has a prompt of its own."""
        return self.session.walk.prompt if "session" in self.__dict__ else PROMPT

    def _prepare(self) -> None:
        """Import what the first line will need, as soon as the prompt has been drawn."""

        async def prepared() -> None:
            from asyncio import sleep

            # the prompt is on the screen before the imports begin, and between these a key can be handled
            await sleep(0.02)
            self.session.scope.read("x")
            await sleep(0)
            from exprgrad.session import screen

            assert screen
            await sleep(0)
            editing.value_of(self.session, "x^2")
            get_app().invalidate()

        get_app().create_background_task(prepared())

    def _status(self) -> StyleAndTextTuples:
        """The value of what is being typed, and the values of names."""
        width = get_app().output.get_size().columns - 1
        try:
            parts = [self._preview.of(self._editor.default_buffer.text)]
            parts += self.bindings()
        except Exception:  # a redraw must not end the session; Enter says what is wrong
            parts = []
        text = "  ".join(filter(None, parts))
        return [("", text if len(text) <= width else f"{text[: width - 1]}…")]

    def bindings(self) -> list[str]:
        """Names with their values, the newest first."""
        from exprgrad.views.arrays import text

        found: list[str] = []
        if "session" not in self.__dict__:
            return found
        # eight of them: there is one line, which is cut at its end, where the oldest stand
        for name in list(self.session.scope.definitions)[:-9:-1]:
            known = self.session.scope.names.known.get(name)
            if known is not None and known.value is not None:
                found.append(f"{name} = {text(known.value, 6)}")
            elif known is not None:
                found.append(known.function.signature)
        return found

    def run(self) -> int:
        """Read and execute until the end."""
        from exprgrad.session.commands import BANNER

        emit_lines(BANNER)
        self._warn()
        while True:
            computing = False
            try:
                # `self.session` would import it here, before there is a prompt
                run = None if "session" in self.__dict__ else self._prepare
                text = self._editor.prompt(pre_run=run, default=self._offered)
                computing, self._offered = True, ""
                if self._execute(text):
                    return 0
                self._warn()
            except EOFError:
                return 0
            except KeyboardInterrupt:
                if computing:
                    _say_interrupted()

    def _warn(self) -> None:
        """Say once that history is not kept."""
        if self.history.problem and not self._warned:
            self._warned = True
            emit_error(f"note: history is not kept: {self.history.problem}")

    def _execute(self, text: str) -> bool:
        """Execute what was typed and draw what it gives; whether the session is over."""
        from exprgrad.session.screen import Screen

        # before the line is run: a walk that it begins has another prompt
        screen, prompt = Screen(self.session), self._prompt()
        try:
            screen.play(text)
        except ExprgradError as error:
            self._offered = self.session.offered or ""
            self._report(error, text, prompt)
        return screen.ended

    def _report(self, error: ExprgradError, text: str, prompt: str) -> None:
        """Draw an error, with the caret under the typed line if that stands whole just above."""
        from exprgrad.views.diagnostic import report

        above = error.source == text and "\n" not in text
        # a line that was folded or has tabs stands in other columns than are counted here
        fits = len(prompt) + len(text) < columns() and "\t" not in text
        report(error, under=len(prompt) if above and fits else None)


def _say_interrupted() -> None:
    """Say that the computation was stopped; a second Ctrl-C adds nothing."""
    with suppress(KeyboardInterrupt):
        reset = "" if os.environ.get("NO_COLOR") else "\x1b[0m"
        sys.stdout.write(f"{reset}\n")
        sys.stdout.flush()
        emit_error("interrupted; the session is as it was before")


def _keys() -> KeyBindings:
    """Enter ends the line unless a bracket is open."""
    keys = KeyBindings()

    @keys.add("enter", filter=has_focus(DEFAULT_BUFFER))
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        menu = buffer.complete_state
        if menu and len(menu.completions) > 1 and menu.current_completion:
            buffer.complete_state = None  # the chosen completion stays, the menu goes
        elif entries.unfinished(buffer.text) and buffer.document.is_cursor_at_the_end:
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return keys


def run() -> int:
    """Open a session on this terminal, and leave the terminal as it was; the exit code."""
    restore = _restore()
    unfinished.begin(restore, restore)
    try:
        return Terminal().run()
    finally:
        unfinished.end(restore)


def _restore() -> Callable[[], None]:
    """Return what puts this terminal back, for a signal that ends the program while a line is edited."""
    try:
        import termios
    except ImportError:  # Windows
        return lambda: None
    keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
    attributes = termios.tcgetattr(keyboard)

    def restore() -> None:
        # no bracketed paste, a cursor, and plain text: what prompt_toolkit undoes only where it ends by itself
        os.write(screen, b"\x1b[?2004l\x1b[?25h\x1b[0m\r\n")
        termios.tcsetattr(keyboard, termios.TCSANOW, attributes)

    return restore
