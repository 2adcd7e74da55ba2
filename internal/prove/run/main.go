// Command run repeats the tests of the chosen suites until a time budget is used up. It counts their trials in a ledger, and prints the
// totals over all executions. With other options, it only prints the totals, marks a failure as repaired, or plants bugs that the tests
// must find.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: go run ./internal/prove/run [--budget 2h] [--suite A,B] [--test NAME] [--ledger FILE]
   or: go run ./internal/prove/run --scenarios WORD,WORD [--budget 2h] [--ledger FILE]
   or: go run ./internal/prove/run --report [--write docs/RELIABILITY.md]
   or: go run ./internal/prove/run --repaired SEED|TEST
   or: go run ./internal/prove/run --planted [--bug NAME]

`

type options struct {
	budget time.Duration
	suites string
	test   string
	// scenarios is a list of words, separated by commas. If it is not empty, only the scenarios of suite A whose names contain one of
	// the words are tried. Each is then killed at every possible point.
	scenarios string
	ledger    string
	report    bool
	write     string
	repaired  string
	planted   bool
	bug       string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	switch {
	case o.planted:
		return plantBugs(ctx, root, o.bug)
	case o.repaired != "":
		return markRepaired(o.ledger, o.repaired)
	case !o.report:
		if err := prove(ctx, root, o); err != nil {
			return err
		}
	}
	return printSum(root, o)
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		f.PrintDefaults()
	}
	f.DurationVar(&o.budget, "budget", 2*time.Hour, "how long to go on")
	f.StringVar(&o.suites, "suite", "", "only these suites, by their letters")
	f.StringVar(&o.test, "test", "", "only tests whose name contains this")
	f.StringVar(&o.scenarios, "scenarios", "", "kill at every point of the commands of suite A whose name contains one of these words, and end")
	f.StringVar(&o.ledger, "ledger", "", "the file that counts over all runs (default: in the user's cache folder)")
	f.BoolVar(&o.report, "report", false, "run nothing, print the sum")
	f.StringVar(&o.write, "write", "", "put the sum into this document")
	f.StringVar(&o.repaired, "repaired", "", "note that the failure of this seed, or all so far of this test, is repaired and has a test of its own")
	f.BoolVar(&o.planted, "planted", false, "plant the bugs, one at a time, and see that the proof finds them")
	f.StringVar(&o.bug, "bug", "", "with --planted: only bugs whose name contains this")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("what is %q?", f.Arg(0))
	}
	if o.ledger == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, fmt.Errorf("find a place for the ledger (or name one with --ledger): %w", err)
		}
		o.ledger = filepath.Join(cache, "git-resume-prove", "ledger.jsonl")
	}
	if o.ledger, err = filepath.Abs(o.ledger); err != nil {
		return o, err
	}
	o.suites = strings.ToUpper(o.suites)
	return o, os.MkdirAll(filepath.Dir(o.ledger), 0o755)
}

// findRoot searches upwards for the folder with go.mod.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("run this in the source tree of git-resume")
		}
	}
	return "", err
}
