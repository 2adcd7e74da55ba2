//go:build unix

package proc

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// gate holds a new process back before it becomes its program.
//
// The process starts as a shell that waits for one line on a pipe. If we die before we write the line, the pipe closes and the shell ends
// without starting the program. So the program does not run before Hold has returned.
type gate struct{ read, write *os.File }

// gateScript waits for a line from the pipe, closes the pipe, and then becomes the program. N stands for the pipe's file descriptor.
const gateScript = `read _ <&N || exit 1; exec N<&-; exec "$@"`

// close changes a command so that it waits at the gate. If its program was not found, the command stays as it is, so that starting it fails
// as usual.
func (g *gate) close(cmd *exec.Cmd) error {
	if _, err := os.Stat(cmd.Path); err != nil || !strings.Contains(cmd.Path, "/") {
		return nil
	}
	var err error
	if g.read, g.write, err = os.Pipe(); err != nil {
		return err
	}
	script := strings.ReplaceAll(gateScript, "N", strconv.Itoa(3+len(cmd.ExtraFiles)))
	cmd.Args = append([]string{"sh", "-c", script, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = append(cmd.ExtraFiles[:len(cmd.ExtraFiles):len(cmd.ExtraFiles)], g.read)
	return nil
}

// open lets the waiting shell execute the program.
func (g *gate) open() {
	if g.write == nil {
		return
	}
	_, _ = io.WriteString(g.write, "\n")
	g.abandon()
}

// abandon closes both ends of the pipe in our process. A process that still waits at the gate then ends.
func (g *gate) abandon() {
	for _, f := range []*os.File{g.read, g.write} {
		if f != nil {
			_ = f.Close()
		}
	}
}
