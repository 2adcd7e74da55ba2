// Command git-resume continues interrupted work in a git repository.
//
// This package reads the command line, connects the other packages and turns errors into exit codes.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/cmd/git-resume/early/record"
	"github.com/git-resume/git-resume/internal/exit"
)

// version is set by a release build or by install.sh. Without it, ownVersion uses the version of the Go module.
var version = "devel"

func ownVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf prefers the version that was set. 'go install …@version' sets none, but records which version of the module it built.
func versionOf(set string, info *debug.BuildInfo) string {
	if set != "devel" || info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return set
	}
	return info.Main.Version
}

// collectAt makes Go's garbage collector run rarely. The heap is small, and most commands end before a collection would pay off.
const collectAt = 400

// onlyReads contains the commands that are called most often. They have nothing to clean up, so a signal may end them at any point.
var onlyReads = map[string]bool{"status": true, "hook": true}

func main() {
	if len(os.Args) > 1 && os.Args[1] == early.Word {
		agentEvent(record.Hook, os.Stdout) // the packages early and record have read the report while the program was initialized
		os.Exit(0)
	}
	debug.SetGCPercent(collectAt)
	ctx, stop := context.Background(), context.CancelFunc(func() {})
	if len(os.Args) < 2 || !onlyReads[os.Args[1]] {
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	}
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the main function, with the standard streams as parameters.
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

// perform executes one command line.
func (p *program) perform(args []string) error {
	p.args = args
	app := commands{p}.app()
	ordered, err := reorder(app, args)
	if err != nil {
		return err
	}
	return execute(app, ordered)
}
