// Command build makes everything that is published for a version. 'make release VERSION=v0.9.0' runs it.
//
// The result must depend only on the commit and on the version of Go. The command signs and publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/release"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// request is what was asked for on the command line.
type request struct {
	root, out, tag string
	platforms      []release.Platform
}

func run(ctx context.Context, args []string, out io.Writer) error {
	r, err := parse(args)
	if err != nil {
		return err
	}
	s := source{ctx: ctx, root: r.root, env: os.Environ()}
	v, err := s.version(r.tag)
	if err != nil {
		return err
	}
	if err := mayReplace(r.out); err != nil {
		return err
	}
	fmt.Fprintf(out, "making %s with %s for %d platforms\n", r.tag, runtime.Version(), len(r.platforms))
	var all []release.Artifact
	for _, p := range r.platforms {
		made, err := s.make(v, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		for _, a := range made {
			fmt.Fprintf(out, "  %-45s %9d bytes\n", a.Name, len(a.Data))
		}
		all = append(all, made...)
	}
	all = append(all, release.Artifact{Name: "git-resume.rb", Data: release.Formula(v, all)}, release.Artifact{Name: "install.sh", Data: s.script})
	all = append(all, release.Artifact{Name: "SHA256SUMS", Data: release.Sums(all)})
	if err := replace(r.out, all); err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %d files to %s; sign SHA256SUMS before you publish them\n", len(all), r.out)
	return nil
}

func parse(args []string) (request, error) {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	root := flags.String("root", ".", "the checkout")
	out := flags.String("out", "dist", "the folder for the result")
	tag := flags.String("version", "", "the tag of the version, such as v0.9.0")
	only := flags.String("platforms", "", "only these, such as linux-amd64,darwin-arm64")
	if err := flags.Parse(args); err != nil {
		return request{}, err
	}
	if *tag == "" {
		return request{}, fmt.Errorf("no version was named; use 'make release VERSION=v0.9.0'")
	}
	r := request{root: *root, out: *out, tag: *tag, platforms: release.Platforms}
	if *only == "" {
		return r, nil
	}
	r.platforms = nil
	for _, name := range strings.Split(*only, ",") {
		i := slices.IndexFunc(release.Platforms, func(p release.Platform) bool { return p.String() == name })
		if i < 0 {
			return request{}, fmt.Errorf("there is no platform '%s'; there are %v", name, release.Platforms)
		}
		r.platforms = append(r.platforms, release.Platforms[i])
	}
	return r, nil
}

// mayReplace returns an error if a folder is not empty and does not look like the result of an earlier build.
func mayReplace(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "SHA256SUMS")); err != nil {
		return fmt.Errorf("'%s' is not empty and holds no earlier release; name another folder with --out", dir)
	}
	return nil
}

// replace writes the new files to a temporary folder. When all of them are written, it removes the old folder and gives its name to the
// new one.
func replace(dir string, all []release.Artifact) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(dir), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	for _, a := range all {
		mode := os.FileMode(0o644)
		if a.Name == "install.sh" {
			mode = 0o755
		}
		path := filepath.Join(half, a.Name)
		if err := os.WriteFile(path, a.Data, mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // set the mode again, because the user's umask must have no effect
			return err
		}
	}
	if err := os.Chmod(half, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(half, dir)
}
