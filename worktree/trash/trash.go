package trash

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// keptObject is one object that a discarded worktree needs, with the reason.
type keptObject struct {
	why string
	id  object.ID
}

// The names in the git tree of a discarded run.
const (
	snapshotsTree = "snapshots"
	objectsDir    = "objects"
)

// discardEntry contains everything that is saved of a discarded run: its commits, its snapshots, and the other objects that its index and
// git dir refer to.
type discardEntry struct {
	series.Label
	notes     []string // each line contains the reason for saving an object, and the id of the object
	snapshots object.ID
	objects   []object.Entry
	commits   series.Commits
}

func (d discardEntry) add(p *object.Pending) object.ID {
	var text strings.Builder
	fmt.Fprintf(&text, "version 2\n%s", d.Lines())
	for _, note := range d.notes {
		text.WriteString(note + "\n")
	}
	entries := append(d.commits.Add(p), object.Entry{Name: series.FactsFile, Mode: object.ModeFile, ID: p.Add("blob", []byte(text.String()))})
	if d.snapshots != "" {
		entries = append(entries, object.Entry{Name: snapshotsTree, Mode: object.ModeDir, ID: d.snapshots})
	}
	if len(d.objects) > 0 {
		entries = append(entries, object.Entry{Name: objectsDir, Mode: object.ModeDir, ID: p.Add("tree", object.TreeData(d.objects))})
	}
	return p.Add("tree", object.TreeData(entries))
}

// The patterns for ids in files. They are compiled on first use, because otherwise every start of the program would take longer.
var (
	fullID  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`) })
	shortID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{7,64}\b`) })
)

// maxNamed limits how many object ids are read from one file of a worktree's git dir.
const maxNamed = 20_000

// collectIDs finds the object ids in the files of a worktree's git dir, for example in reflogs and in the todo list of a rebase. After the
// folder is moved, git no longer protects these objects from gc.
func collectIDs(ids map[string]string, admin string) error {
	return filepath.WalkDir(admin, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return place.SkipUnreadable(d)
		}
		rel, err := filepath.Rel(admin, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel == "modules" {
			return fs.SkipDir // the folder "modules" contains whole repositories, which are saved as they are
		}
		if !d.Type().IsRegular() || strings.HasPrefix(rel, "index") || strings.HasPrefix(rel, "sharedindex.") {
			return nil
		}
		form := fullID
		if strings.HasPrefix(rel, "rebase-") || strings.HasPrefix(rel, "sequencer/") {
			form = shortID
		}
		noteIDs(ids, path, rel, form())
		return nil
	})
}

// noteIDs collects the ids in one file, if the file exists.
func noteIDs(ids map[string]string, path, why string, form *regexp.Regexp) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	for _, id := range form.FindAllString(string(text), maxNamed) {
		if _, known := ids[id]; !known && !series.Unset(id) {
			ids[id] = why
		}
	}
}

// existingObjects returns those of the ids whose objects exist. It separates commits from trees and blobs.
func existingObjects(ctx context.Context, repo *gitstate.Repo, ids map[string]string) (commits, others []keptObject, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	asked := slices.Sorted(maps.Keys(ids))
	out, err := repo.Git(ctx, process.Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
		Stdin: strings.NewReader(strings.Join(asked, "\n") + "\n")})
	if err != nil {
		return nil, nil, fmt.Errorf("look up objects: %w", err)
	}
	lines := strings.Split(string(out), "\n") // git prints one line for each requested id
	for i, name := range asked {
		if i >= len(lines) {
			break
		}
		id, kind, _ := strings.Cut(lines[i], " ")
		why := "named-in " + strconv.QuoteToASCII(ids[name])
		switch {
		case !object.IsID(id):
		case kind == "commit":
			commits = append(commits, keptObject{why, object.ID(id)})
		case kind == "tree" || kind == "blob":
			others = append(others, keptObject{why + "\x00" + kind, object.ID(id)})
		}
	}
	return commits, others, nil
}

// resolveUndo lists the versions of resolved conflicts. The index still refers to them, and fsck reports an error if they are missing.
func resolveUndo(ctx context.Context, at *gitstate.Repo) ([]keptObject, error) {
	out, err := at.Git(ctx, process.Call{Args: []string{"ls-files", "--resolve-undo", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	var blobs []keptObject
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if f := strings.Fields(rec); len(f) >= 3 && object.IsID(f[1]) {
			blobs = append(blobs, keptObject{"resolved-side\x00blob", object.ID(f[1])})
		}
	}
	return blobs, nil
}

// DiscardedRef returns the ref from which a discarded run can be restored. It points to a git tree with numbered entries.
func DiscardedRef(run string) refs.Name { return refs.Name(series.Root + series.Discarded + "/" + run) }
