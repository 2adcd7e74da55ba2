package orchestrate

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// shelf are the stories of one worktree.
type shelf struct {
	tree  sources.Tree
	all   []*story
	byKey map[string][]*story
	// more is how many stories were left unread because there are too many.
	more int
}

// What is read of stories at most.
const (
	maxStories = 3000
	maxFolders = 6
)

// archives are folders whose stories nobody works on.
var archives = []string{"archive", "archived", "completed", "done"}

// readShelf reads the stories of a worktree.
func readShelf(tree sources.Tree) *shelf {
	s := &shelf{tree: tree, byKey: map[string][]*story{}}
	if tree.Has(storiesDir) {
		s.walk(storiesDir, 0, false)
	}
	for _, st := range s.all {
		s.byKey[st.key] = append(s.byKey[st.key], st)
	}
	return s
}

func (s *shelf) walk(dir string, depth int, archived bool) {
	entries, _ := s.tree.List(dir) // refused or too large: what is in it stays unknown
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if depth < maxFolders && !strings.HasPrefix(e.Name(), ".") {
				s.walk(name, depth+1, archived || slices.Contains(archives, strings.ToLower(e.Name())))
			}
		case isStory(e.Name()) && e.Type()&^fs.ModeSymlink == 0:
			s.take(name, archived)
		}
	}
}

func (s *shelf) take(name string, archived bool) {
	if len(s.all) >= maxStories {
		s.more++
		return
	}
	data, err := s.tree.Read(name)
	st := &story{path: name, id: idOfPath(name)}
	st.key = keyOf(st.id)
	if err == nil {
		st = parseStory(name, data)
	} else {
		d := problem(name, err)
		st.problem = &d
	}
	st.archived, st.home = archived, s.tree.WorkTree
	s.all = append(s.all, st)
}

// find gives the story with this key: a live one before others, one that is not archived before one that is.
func (s *shelf) find(key string) *story {
	var best *story
	for _, st := range s.byKey[key] {
		if best == nil || st.live() && !best.live() || !st.archived && best.archived {
			best = st
		}
	}
	return best
}

// at gives the story with this path.
func (s *shelf) at(name string) *story {
	for _, st := range s.all {
		if st.path == name {
			return st
		}
	}
	return nil
}
