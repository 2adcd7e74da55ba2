package commitlog

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// Touched finds the commits that changed certain files. It searches the history of the commit "tip". One git command serves several
// folders, because each further command would walk through the same history again.
type Touched struct {
	repo    *gitstate.Repo
	tip     object.ID
	folders []string

	mu      sync.Mutex
	streams []*touchStream
}

// NewTouched returns a Touched for the history of the commit "tip". It starts no git process yet. The argument "folders" names the
// folders that contain most of the files that will be asked for.
func NewTouched(repo *gitstate.Repo, tip object.ID, folders []string) *Touched {
	return &Touched{repo: repo, tip: tip, folders: folders}
}

// Start starts git for the folders that were given to NewTouched, so that git works while the caller does something else. If another
// goroutine is using l, Start returns at once, because git is running already.
func (l *Touched) Start(ctx context.Context) {
	if l.mu.TryLock() {
		l.start(ctx)
		l.mu.Unlock()
	}
}

func (l *Touched) start(ctx context.Context) {
	if s := l.first(); s.git == nil && len(s.touches) == 0 {
		l.resume(ctx, s)
	}
}

// first returns the stream for the folders that were given to NewTouched.
func (l *Touched) first() *touchStream {
	if len(l.streams) == 0 {
		l.streams = append(l.streams, l.newStream(time.Time{}, l.folders))
	}
	return l.streams[0]
}

// Rest ends the git processes. A later question starts them again.
func (l *Touched) Rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.streams {
		s.rest()
	}
}

// Last returns for each path the newest commit since the given time that wrote it. A path without such a commit is left out.
func (l *Touched) Last(ctx context.Context, since time.Time, paths []string) map[string]past.Touch {
	found := map[string]past.Touch{}
	if len(paths) == 0 {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streamFor(since, paths)
	for _, p := range paths {
		for !s.wrote(p) && !s.beyond(since) && l.read(ctx, s) {
		}
		if i, ok := s.last[p]; ok && !s.touches[i].Made.Before(since) {
			found[p] = s.touches[i]
		}
	}
	return found
}

// Newest returns the newest commit that wrote any of the paths. It is empty if there is none since the given time.
func (l *Touched) Newest(ctx context.Context, since time.Time, paths []string) past.Touch {
	if len(paths) == 0 {
		return past.Touch{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streamFor(since, paths)
	for !slices.ContainsFunc(paths, s.wrote) && !s.beyond(since) && l.read(ctx, s) {
	}
	first := len(s.touches)
	for _, p := range paths {
		if i, ok := s.last[p]; ok {
			first = min(first, i)
		}
	}
	if first == len(s.touches) || s.touches[first].Made.Before(since) {
		return past.Touch{}
	}
	return s.touches[first]
}

// Enough reports whether a commit says so much about a file that no older one is needed.
type Enough func(t *past.Touch, d *past.Delta) bool

// Of returns the commits that changed any of the files or folders, newest first. Once the function "enough" has returned true for a commit
// and a file, older commits of that file are left out.
func (l *Touched) Of(ctx context.Context, since time.Time, most int, enough Enough, paths []string) (out []past.Touch) {
	if len(paths) == 0 {
		return nil
	}
	q := touchQuestion{since, enough, map[string]bool{}}
	for _, p := range paths {
		q.open[strings.TrimSuffix(p, "/")] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streamFor(since, paths)
	for i := 0; len(q.open) > 0 && len(out) < most; i++ {
		if i == len(s.touches) && (s.beyond(since) || !l.read(ctx, s)) {
			break
		}
		if touch, ok := q.of(s.touches[i]); ok {
			out = append(out, touch)
		}
	}
	return out
}

// touchQuestion holds the state of one call of Touched.Of, which asks about some files and folders.
type touchQuestion struct {
	since  time.Time
	enough Enough
	// open has the paths about which more commits are needed.
	open map[string]bool
}

// of returns the commit with only its changes below the paths in q.open. The second result is false if there are no such changes, or if
// the commit is too old.
func (q *touchQuestion) of(t past.Touch) (past.Touch, bool) {
	if t.Made.Before(q.since) {
		return t, false
	}
	var changes []past.Delta
	for i := range t.Changes {
		d := &t.Changes[i]
		p := d.Path
		for p != "." && !q.open[p] {
			p = path.Dir(p)
		}
		if p == "." {
			continue
		}
		if changes = append(changes, *d); p == d.Path && q.enough != nil && q.enough(&t, d) {
			delete(q.open, p)
		}
	}
	t.Changes = changes
	return t, len(changes) > 0
}

// touchStream lists the commits that changed the files below some paths.
type touchStream struct {
	paths []string
	// since is zero, or the time behind which the stream has no commits.
	since time.Time
	// git is nil if no process is running.
	git *past.TouchLog
	// touches are the commits that were read, the newest first. last has for each file the index of the newest commit that wrote it.
	touches []past.Touch
	last    map[string]int
	ended   bool
}

// mostTouches limits the number of commits that are kept, because a history from elsewhere can contain any number of them.
const mostTouches = 20000

// streamFor returns a stream that covers all the paths since the given time. The caller holds l.mu.
//
// A stream for other paths than l.folders ends at that time. Otherwise git would walk through the whole history of a repository in which
// nothing was committed lately.
func (l *Touched) streamFor(since time.Time, paths []string) *touchStream {
	l.first()
	if i := slices.IndexFunc(l.streams, func(s *touchStream) bool { return s.reaches(since) && s.covers(paths) }); i >= 0 {
		return l.streams[i]
	}
	for _, s := range slices.Backward(l.streams) {
		if s.since.IsZero() == since.IsZero() { // the new stream replaces the last one of its kind
			s.rest()
			paths = slices.Concat(s.paths, paths)
			break
		}
	}
	s := l.newStream(since, l.wider(paths))
	l.streams = append(l.streams, s)
	return s
}

// reaches reports whether the stream has all commits since the given time.
func (s *touchStream) reaches(since time.Time) bool {
	return s.since.IsZero() || !since.IsZero() && !since.Before(s.since)
}

// wider returns paths that cover the given ones. If a path leads through a folder with a name in l.folders, it is shortened to that
// folder, unless the folder is at the top of the worktree.
func (l *Touched) wider(paths []string) (out []string) {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		for _, dir := range l.folders {
			if at := strings.Index(p, "/"+dir+"/"); at >= 0 {
				p = p[:at+1+len(dir)]
			}
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *touchStream) covers(paths []string) bool {
	return !slices.ContainsFunc(paths, func(name string) bool {
		return !slices.ContainsFunc(s.paths, func(dir string) bool { return isBelow(name, dir) })
	})
}

// isBelow reports whether a path is the given file or folder, or is inside that folder.
func isBelow(name, dir string) bool {
	return strings.HasPrefix(name, dir) && (len(name) == len(dir) || name[len(dir)] == '/')
}

// newStream returns a stream of the commits that changed files below the given paths. Git is started when the first commit is read.
func (l *Touched) newStream(since time.Time, paths []string) *touchStream {
	return &touchStream{paths: paths, since: since, last: map[string]int{}}
}

// resume starts git, and skips the commits that were read before git was ended. If there are no paths, or if there is no commit, there is
// nothing to list.
func (l *Touched) resume(ctx context.Context, s *touchStream) {
	if s.ended = l.tip == "" || len(s.paths) == 0; s.ended {
		return
	}
	since := s.since
	if !since.IsZero() {
		since = since.Add(-clockSkew)
	}
	var err error
	if s.git, err = past.OpenTouches(ctx, l.repo, l.tip, since, s.paths...); err != nil {
		s.git, s.ended = nil, true
		return
	}
	for range s.touches {
		if _, err := s.git.Next(); err != nil {
			s.ended = true
			return
		}
	}
}

// read reads one more commit. It returns false if there is none, or if no more can be read.
func (l *Touched) read(ctx context.Context, s *touchStream) bool {
	if s.git == nil && !s.ended {
		l.resume(ctx, s)
	}
	if s.ended || len(s.touches) >= mostTouches {
		return false
	}
	touch, err := s.git.Next()
	if err != nil {
		s.ended = true
		s.rest()
		return false
	}
	s.touches = append(s.touches, touch)
	for _, c := range touch.Changes {
		if _, known := s.last[c.Path]; !known && c.New.ID != "" { // a commit that deletes the file does not count
			s.last[c.Path] = len(s.touches) - 1
		}
	}
	return true
}

// wrote reports whether any commit that was read so far wrote the file.
func (s *touchStream) wrote(path string) bool {
	_, ok := s.last[path]
	return ok
}

// clockSkew is the largest expected difference between the clocks of two computers. Because of it, a commit can seem newer than its child.
const clockSkew = 24 * time.Hour

// beyond reports whether all commits that were not read yet are older than the given time. It assumes that clocks differ by at most
// clockSkew.
func (s *touchStream) beyond(since time.Time) bool {
	n := len(s.touches)
	return n > 0 && s.touches[n-1].Made.Before(since.Add(-clockSkew))
}

func (s *touchStream) rest() {
	if s.git != nil {
		s.git.Close()
		s.git = nil
	}
}
