package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-resume/git-resume/internal/gittest"
)

// atTerminal is "terminal ANSWERS COMMAND...": the command asks at a terminal and gets the answers there,
// one for each question; after the last one the input ends. The answers are one word, separated by commas.
// An answer that begins with ! is a shell command that runs while the question is open; ^C is what that key sends.
// What the terminal shows goes to stderr, and the exit code is the command's own.
func atTerminal() {
	code, err := converse(strings.Split(os.Args[1], ","), os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 99
	}
	os.Exit(code)
}

func converse(answers, command []string) (int, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=1", "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, os.Stdout, slave
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_ = slave.Close()
	done := make(chan error, 1)
	go func() { done <- answer(master, answers, cmd.Process) }()
	err = cmd.Wait()
	if said := <-done; said != nil {
		return 0, said
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// answer shows the output as it comes, and replies whenever a line ends like a question.
func answer(master *os.File, answers []string, asker *os.Process) error {
	buf := make([]byte, 4096)
	line := ""
	for {
		n, err := master.Read(buf)
		text := strings.ReplaceAll(string(buf[:n]), "\r\n", "\n")
		fmt.Fprint(os.Stderr, text)
		if err != nil {
			return nil // the other side is gone
		}
		line += text
		line = line[strings.LastIndexByte(line, '\n')+1:]
		if !strings.HasSuffix(line, "] ") && !strings.HasSuffix(line, ": ") && !strings.HasSuffix(line, ") ") {
			continue
		}
		line = ""
		fmt.Fprintln(os.Stderr)
		if len(answers) > 0 && answers[0] == "^C" {
			stop(asker)
			continue
		}
		if answers, err = reply(master, answers); err != nil {
			return err
		}
	}
}

// stop sends only what Ctrl-C sends: a command that still waits for an answer gets none, and is killed in the end.
func stop(p *os.Process) {
	_ = p.Signal(os.Interrupt) // it may have ended already
	time.AfterFunc(patience, func() { _ = p.Kill() })
}

// patience is how long a command may take to end after Ctrl-C.
const patience = 20 * time.Second

func reply(w io.Writer, answers []string) ([]string, error) {
	for len(answers) > 0 && strings.HasPrefix(answers[0], "!") {
		if out, err := exec.Command("sh", "-c", answers[0][1:]).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", answers[0], err, out)
		}
		answers = answers[1:]
	}
	if len(answers) == 0 {
		_, err := w.Write([]byte{4}) // the end of input
		return nil, err
	}
	_, err := fmt.Fprintln(w, answers[0])
	return answers[1:], err
}

// openTerminal makes a terminal that does not show what is typed.
func openTerminal() (master, slave *os.File, err error) {
	if master, slave, err = gittest.OpenTerminal(); err != nil {
		return nil, nil, err
	}
	t, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		return nil, nil, err
	}
	t.Lflag &^= unix.ECHO
	return master, slave, unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, t)
}
