package story

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// Collection holds the stories of one worktree.
type Collection struct {
	tree  sources.Tree
	All   []*Story
	byKey map[string][]*Story
}

// maxStories limits how many stories are read, and maxFolders limits how deep the folders below docs/stories are searched.
const (
	maxStories = 3000
	maxFolders = 6
)

// archives are the names of folders for finished stories.
var archives = []string{"archive", "archived", "completed", "done"}

// Read reads the stories of a worktree. If the worktree has a table of stories from BMAD, and no folder .aios or .aiox, Read returns no
// stories, because the source of BMAD reports them.
func Read(view *sources.View, tree sources.Tree) *Collection {
	s := &Collection{tree: tree, byKey: map[string][]*Story{}}
	own := slices.ContainsFunc(statefile.Homes, tree.Has)
	if tree.Has(statefile.StoriesDir) && (own || !sources.HasSprint(view, tree)) {
		s.walk(statefile.StoriesDir, 0, false)
	}
	last := ""
	for _, st := range s.All {
		s.byKey[st.Key] = append(s.byKey[st.Key], st)
		if (st.Live() || st.Meaning == sources.MeansDone) && sources.NaturalOrder(st.Key, last) > 0 {
			last = st.Key
		}
	}
	for _, st := range s.All { // a partly ticked story counts as started only if no later story was started
		st.begun = sources.NaturalOrder(st.Key, last) > 0 && st.partlyTicked()
	}
	return s
}

// Live returns the paths of the stories for which Story.Live returns true: those in progress or in review.
func (s *Collection) Live() (paths []string) {
	for _, st := range s.All {
		if st.Live() {
			paths = append(paths, st.Path)
		}
	}
	return paths
}

// LeftBehind is for a story whose review passed. It returns why the story counts as finished: all its tasks are ticked, and a story with a
// higher number is in progress, in review or done. Otherwise it returns "".
func (s *Collection) LeftBehind(of *Story) string {
	if of.Read().Open > 0 {
		return ""
	}
	for _, st := range s.All {
		if (st.Live() || st.Meaning == sources.MeansDone) && !st.Archived && sources.NaturalOrder(st.Key, of.Key) > 0 {
			return "its review is over, all its tasks are ticked, and the later story " + st.ID + " was started"
		}
	}
	return ""
}

func (s *Collection) walk(dir string, depth int, archived bool) {
	entries, _ := s.tree.List(dir) // an unreadable folder counts as empty
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if depth < maxFolders && !strings.HasPrefix(e.Name(), ".") {
				s.walk(name, depth+1, archived || slices.Contains(archives, strings.ToLower(e.Name())))
			}
		case IsFile(e.Name()) && e.Type()&^fs.ModeSymlink == 0:
			s.add(name, archived)
		}
	}
}

func (s *Collection) add(name string, archived bool) {
	if len(s.All) >= maxStories {
		return
	}
	data, err := s.tree.Read(name)
	st := &Story{Path: name, ID: IDOf(name)}
	st.Key = KeyOf(st.ID)
	if err == nil {
		st = Parse(name, data)
	} else {
		d := statefile.Problem(name, err)
		st.Problem = &d
	}
	st.Archived, st.Home = archived, s.tree.WorkTree
	s.All = append(s.All, st)
}

// Find returns the story with the given key, or nil if there is none. If there are several, it prefers a story in progress or in review,
// then a story that is not archived, and then a file that says a status.
func (s *Collection) Find(key string) *Story {
	var best *Story
	for _, st := range s.byKey[key] {
		said := st.Meaning != sources.MeansUnknown && best != nil && best.Meaning == sources.MeansUnknown && st.Archived == best.Archived
		if best == nil || st.Live() && !best.Live() || !st.Archived && best.Archived || said {
			best = st
		}
	}
	return best
}

// Has reports whether a path is the file of a story that says its status. The story may have been moved to another folder since.
func (s *Collection) Has(name string) bool {
	return slices.ContainsFunc(s.All, func(st *Story) bool {
		return st.Meaning != sources.MeansUnknown && path.Base(st.Path) == path.Base(name)
	})
}

// At returns the story with this path, or nil if there is none.
func (s *Collection) At(name string) *Story {
	for _, st := range s.All {
		if st.Path == name {
			return st
		}
	}
	return nil
}
