// Command git-resume continues interrupted work in a git repository.
//
// This package reads the command line, connects the other packages and turns errors into exit codes.
// It is the only package that sees the arguments, the environment and the clock.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/git-resume/git-resume/internal/exit"
)

// version is set when a release is built.
var version = "devel"

// collectAt lets garbage grow to some megabytes before it is collected, because the heap is small: with Go's default, a long plan
// would trigger a collection with every task, and all other commands would spend time on memory that their exit frees anyway.
const collectAt = 400

// onlyReads are the commands that are called most often and have nothing to clean up, so a signal may end them at any point.
// Catching signals needs extra threads, which would cost these commands a tenth of their running time.
var onlyReads = map[string]bool{"status": true, "hook": true}

func main() {
	debug.SetGCPercent(collectAt)
	ctx, stop := context.Background(), context.CancelFunc(func() {})
	if len(os.Args) < 2 || !onlyReads[os.Args[1]] {
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program, with its streams as parameters.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	p := &program{ctx: ctx, out: &answers{to: out}, err: errOut, env: os.Environ()}
	code := p.run(args)
	p.close()
	code = p.deliver(code)
	if p.said != nil && code != exit.Fatal {
		p.said()
	}
	return code
}

func (p *program) run(args []string) int {
	err := p.perform(args[1:])
	var instead rewritten
	if errors.As(err, &instead) {
		err = p.perform(instead.args)
	}
	if p.ctx.Err() != nil {
		return exit.Interrupted
	}
	return p.end(err)
}

// perform does what a command line asks for.
func (p *program) perform(args []string) error {
	p.args = args
	app := commands{p}.app()
	ordered, err := reorder(app, args)
	if err != nil {
		return err
	}
	narrow(app, ordered)
	return app.RunContext(p.ctx, append([]string{"git-resume"}, ordered...))
}
