package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// indexedRooms are the packages whose files are listed in docs/ARCHITECTURE.md.
// The files of their subpackages are listed there too.
var indexedRooms = []string{
	"cmd/git-resume", "internal/conversation", "internal/screen", "internal/handler", "internal/assess", "internal/candidate", "internal/tasks",
	"internal/staging", "internal/adopt", "internal/execution", "internal/drivers", "internal/site", "hooks", "checkpoint", "worktree", "conflicts",
}

var (
	indexRoom = regexp.MustCompile(`^(?:- )?\*\*([a-z/-]+)\*\*`)
	indexFile = regexp.MustCompile("`([a-z0-9_]+\\.go)`")
)

// isIndexed reports whether docs/ARCHITECTURE.md must list a file. It must list all source files of indexedRooms except tests, doc.go and
// the packages in testRooms.
func isIndexed(file string) bool {
	room := path.Dir(file)
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || path.Base(file) == "doc.go" || slices.Contains(testRooms, room) {
		return false
	}
	return slices.ContainsFunc(indexedRooms, func(r string) bool { return room == r || strings.HasPrefix(room, r+"/") })
}

// indexFaults compares the section "Where to look" of docs/ARCHITECTURE.md with the existing files.
func indexFaults(document string, files []string) (faults []string) {
	_, section, ok := strings.Cut(document, "\n## Where to look\n")
	if !ok {
		return []string{"there is no section 'Where to look'"}
	}
	section, _, _ = strings.Cut(section, "\n## ")
	named, room := map[string]bool{}, ""
	for line := range strings.Lines(section) {
		if m := indexRoom.FindStringSubmatch(line); m != nil {
			room = m[1]
		}
		for _, m := range indexFile.FindAllStringSubmatch(line, -1) {
			file := path.Join(room, m[1])
			switch {
			case !slices.Contains(files, file):
				faults = append(faults, file+" is named and not there")
			case named[file]:
				faults = append(faults, file+" is named twice")
			}
			named[file] = true
		}
	}
	for _, file := range files {
		if isIndexed(file) && !named[file] {
			faults = append(faults, file+" is not named")
		}
	}
	return faults
}

// TestIndex checks that docs/ARCHITECTURE.md lists each file that it must list, no file twice, and no file that does not exist.
func TestIndex(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range indexFaults(string(text), allFiles(t)) {
		t.Errorf("docs/ARCHITECTURE.md: %s", fault)
	}
}

// TestIndex_bites checks that indexFaults reports wrong sections and accepts a correct one.
func TestIndex_bites(t *testing.T) {
	t.Parallel()
	files := []string{"worktree/find.go", "worktree/find_test.go", "worktree/doc.go", "worktree/trash/undo.go", "worktree/treetest/treetest.go", "internal/quote/shell.go"}
	const head, end = "# Built\n\n## Where to look\n\n", "\n## Next\n\n`other.go` is none of it\n"
	for _, c := range []struct{ name, section, want string }{
		{"whole", "**worktree**\n\n- `find.go` where\n\n- **worktree/trash** `undo.go` back\n", ""},
		{"one left out", "**worktree**\n\n- `find.go` where\n", "worktree/trash/undo.go is not named"},
		{"one that is gone", "**worktree**\n\n- `find.go` where\n- `old.go` no more\n\n**worktree/trash**\n\n- `undo.go` back\n", "worktree/old.go is named and not there"},
		{"another room", "**worktree**\n\n- `find.go` where\n- `undo.go` back\n", "worktree/undo.go is named and not there\nworktree/trash/undo.go is not named"},
		{"twice", "**worktree**\n\n- `find.go` where\n- `find.go` again\n- **worktree/trash** `undo.go` back\n", "worktree/find.go is named twice"},
	} {
		if got := strings.Join(indexFaults(head+c.section+end, files), "\n"); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	if got := indexFaults("# Built\n", files); len(got) != 1 {
		t.Errorf("without the section: found %q", got)
	}
}
