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

// These constants say how often an append checks whether a gc is still pruning, and how long it waits between two checks.
const (
	gcLooks = 100
	gcPause = 50 * time.Millisecond
)

// rewriteAfterGC writes the objects of an append again if a gc with an explicit prune time is running. Such a gc may delete them, because
// no ref named them when it started. rewriteAfterGC first waits up to five seconds for the gc to end.
func rewriteAfterGC(ctx context.Context, r *gitstate.Repo, p *object.Pending) error {
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

// The function "prunes" reports whether a gc with an explicit prune time is running here. Any other gc usually keeps recent objects.
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
