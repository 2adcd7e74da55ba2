package journal

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/proc"
)

// How long an append waits for a gc that prunes at once, and how often it looks.
const (
	gcLooks = 100
	gcPause = 50 * time.Millisecond
)

// outlive writes the objects of an append once more after a gc that prunes at once: it began before the journal named them,
// and may have deleted them.
func outlive(ctx context.Context, r *gitstate.Repo, p *object.Pending) error {
	if !prunes(r) {
		return nil
	}
	for range gcLooks {
		if !prunes(r) {
			break
		}
		time.Sleep(gcPause)
	}
	return r.Objects.Write(ctx, p)
}

// prunes reports whether a gc is at work here that was told when to prune; any other spares what is young.
func prunes(r *gitstate.Repo) bool {
	text, err := os.ReadFile(r.CommonPath("gc.pid"))
	if err != nil {
		return false
	}
	number, _, _ := strings.Cut(string(text), " ")
	pid, _ := strconv.Atoi(number)
	p, lives := proc.Table{}.Get(pid)
	return lives && slices.ContainsFunc(p.Args, func(arg string) bool { return strings.HasPrefix(arg, "--prune=") })
}
