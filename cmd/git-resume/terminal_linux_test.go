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

// atTerminal implements "terminal ANSWERS COMMAND...": it runs a command at a terminal and types the answers. Answers are
// separated by commas; ^C stands for Ctrl-C, and "!" starts a shell command that runs while the question is open. The
// terminal's output goes to stderr.
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

// answer prints the output of the command. Whenever a line ends like a question, it types the next answer.
func answer(master *os.File, answers []string, asker *os.Process) error {
	buf := make([]byte, 4096)
	line := ""
	for {
		n, err := master.Read(buf)
		text := strings.ReplaceAll(string(buf[:n]), "\r\n", "\n")
		fmt.Fprint(os.Stderr, text)
		if err != nil {
			return nil // reading fails when the command has ended
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

// stop sends the signal of Ctrl-C. If the command has not ended after some seconds, stop kills it.
func stop(p *os.Process) {
	_ = p.Signal(os.Interrupt) // the process may have ended already
	time.AfterFunc(patience, func() { _ = p.Kill() })
}

// patience is how long a command may still run after Ctrl-C.
const patience = 20 * time.Second

func reply(w io.Writer, answers []string) ([]string, error) {
	for len(answers) > 0 && strings.HasPrefix(answers[0], "!") {
		if out, err := exec.Command("sh", "-c", answers[0][1:]).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", answers[0], err, out)
		}
		answers = answers[1:]
	}
	if len(answers) == 0 {
		_, err := w.Write([]byte{4}) // Ctrl-D: the end of the input
		return nil, err
	}
	_, err := fmt.Fprintln(w, answers[0])
	return answers[1:], err
}

// openTerminal opens a terminal without echo.
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
