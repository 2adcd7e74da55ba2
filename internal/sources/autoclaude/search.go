package autoclaude

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// system is the name by which people know Auto-Claude.
const system = "auto-claude"

// roots are the folders that hold specs, the newest name first.
var roots = []string{".auto-claude/specs", "auto-claude/specs", "auto-build/specs"}

// families are the prefixes of branch names, the newest first.
var families = []string{"auto-claude", "auto-build"}

// projectFiles is what was found in the file system.
type projectFiles struct {
	v       *sources.View
	specs   map[string]*spec
	refused []sources.Doubt
	// marks are status files that cannot be read.
	marks []sources.Doubt
	git   git
	// reported holds the keys of the specs of which something is left to report.
	reported map[string]bool
}

// spec is one spec, with all the places where parts of it lie.
type spec struct {
	project string // the folder of its project, ending in a slash, or empty
	id      string
	folders []folder
	marks   []placedMark
	// strays are plans at the top of a project, where the quality check of some versions left them.
	strays []folder
}

// key identifies the spec among all specs of a repository.
func (s *spec) key() string { return s.project + s.id }

// folder is the folder of a spec in one worktree, or the top of a project for a stray plan.
type folder struct {
	tree sources.Tree
	path string
	// names are the entries found when the folder was listed; if nil, each name is looked up on disk.
	names *names
}

type names map[string]bool

func (f folder) file(name string) string { return path.Join(f.path, name) }

func (f folder) read(name string) ([]byte, error) { return f.tree.Read(f.file(name)) }

// json reads a file that will not be edited.
func (f folder) json(name string) (sources.Value, error) {
	data, err := f.read(name)
	if err != nil {
		return sources.Value{}, err
	}
	return sources.ParseJSON(data)
}

// has looks up names directly in the folder in the list, because dozens of names are asked for per spec.
func (f folder) has(name string) bool {
	first, below, nested := strings.Cut(name, "/")
	if f.names != nil && !(*f.names)[first] {
		return false
	}
	return f.names != nil && (!nested || below == "") || f.tree.Has(f.file(name))
}

// listed returns a folder with its entries. It is called only for folders that are not symbolic links.
func listed(t sources.Tree, dir string) folder {
	f := folder{tree: t, path: dir, names: &names{}}
	for _, name := range namesIn(filepath.Join(t.WorkTree, filepath.FromSlash(dir)), sources.MaxEntries) {
		(*f.names)[name] = true
	}
	return f
}

type placedMark struct {
	mark
	tree sources.Tree
	path string
}

// search finds specs by their folders, by the status file and by branches. It does not walk directory trees.
func search(ctx context.Context, v *sources.View) (*projectFiles, error) {
	l := &projectFiles{v: v, specs: map[string]*spec{}, git: git{v: v}}
	projects := projectsOf(v)
	for i, t := range v.Trees {
		for _, project := range projects {
			for _, root := range roots {
				l.folders(t, project, root, i == 0)
			}
			if t.Has(project + statusFile) {
				l.readMark(ctx, t, project)
			}
			if t.Has(project + planFile) {
				l.findStray(t, project)
			}
		}
	}
	if err := l.branches(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// mostProjects limits how many names at the top are checked for being a project of their own.
const mostProjects = 200

// projectsOf returns the folders that may hold a project: the top, those the user named, and those directly below the top.
func projectsOf(v *sources.View) []string {
	out := []string{""}
	if v.Setting != nil {
		for _, p := range v.Setting("resume.auto-claude.path") {
			if p = path.Clean(strings.ReplaceAll(p, `\`, "/")); p != "." && !strings.HasPrefix(p, "..") && !path.IsAbs(p) {
				out = append(out, p+"/")
			}
		}
	}
	if len(v.Trees) == 0 {
		return out
	}
	top := v.Trees[0]
	for _, name := range namesIn(top.WorkTree, mostProjects) {
		// Asking whether each entry is a folder would cost more than all the rest: a name with a dot is taken for a file or is hidden.
		if p := name + "/"; !strings.Contains(name, ".") && top.Has(p+roots[0]) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// namesIn returns the names in a folder, limited to most; it returns none if the folder cannot be listed.
func namesIn(dir string, most int) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(most) // names read before an error are still good
	slices.Sort(all)
	return all
}

func (l *projectFiles) spec(project, id string) *spec {
	s := l.specs[project+id]
	if s == nil {
		s = &spec{project: project, id: id}
		l.specs[project+id] = s
	}
	return s
}

func (l *projectFiles) inOrder() []*spec {
	var out []*spec
	for _, s := range l.specs {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *spec) int { return sources.NaturalOrder(a.key(), b.key()) })
	return out
}

// folders adds the spec folders of one root. A root that leads elsewhere is reported in the first worktree only,
// because in a linked worktree it is usually a link to the first one's root.
func (l *projectFiles) folders(t sources.Tree, project, root string, first bool) {
	if !t.Has(project + root) {
		return
	}
	entries, err := t.List(project + root)
	var refused *sources.RefusedError
	if errors.As(err, &refused) && first {
		l.refused = append(l.refused, sources.Doubt{Code: sources.DoubtRefused, Severity: conflicts.Warning, Text: refused.Why, Path: refused.Path})
	}
	for _, e := range entries {
		dir := path.Join(project+root, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.Type()&os.ModeSymlink != 0 && first:
			l.refused = append(l.refused, sources.Doubt{Code: sources.DoubtRefused, Severity: conflicts.Warning, Text: "is a link, and links are not followed", Path: dir})
		case e.IsDir():
			if f := listed(t, dir); f.has(planFile) || f.has("spec.md") || f.has("requirements.json") || f.has("memory") {
				s := l.spec(project, e.Name())
				s.folders = append(s.folders, f)
			}
		}
	}
}

// readMark reads a status file. A file that names no spec is ignored; a damaged one is replaced by an older version from git.
func (l *projectFiles) readMark(ctx context.Context, t sources.Tree, project string) {
	file := project + statusFile
	data, err := t.Read(file)
	var m mark
	if err == nil {
		m, err = parseMark(data)
	}
	if err != nil {
		l.marks = append(l.marks, sources.DoubtOf(err, file))
		for _, old := range l.history(ctx, t, file) {
			if m, err = parseMark(old.Data); err == nil {
				break
			}
		}
	}
	if err != nil || !plainName(m.spec) {
		return
	}
	s := l.spec(project, m.spec)
	s.marks = append(s.marks, placedMark{m, t, file})
}

// history returns the versions of a file that git has, or nothing if git cannot be asked.
func (l *projectFiles) history(ctx context.Context, t sources.Tree, file string) []sources.Version {
	all, err := l.v.History(ctx, t, file, mostVersions)
	if err != nil {
		return nil // a branch without commits has no history either
	}
	return all
}

// mostVersions limits how many versions back a readable version of a file is searched for.
const mostVersions = 20

// plainName reports whether a name can be the name of a spec: a single path component.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\`) && !strings.HasPrefix(name, "-")
}

// addStray adds a plan at the top of a project. Other tools use this file name too, so it counts only if it or its branch names a spec.
func (l *projectFiles) findStray(t sources.Tree, project string) {
	id := specOf(t.Branch)
	if data, err := t.Read(project + planFile); err == nil {
		if p, err := parsePlan(data, l.v.Now); err == nil && plainName(p.specID) {
			id = p.specID
		}
	}
	if plainName(id) {
		s := l.spec(project, id)
		s.strays = append(s.strays, folder{tree: t, path: path.Clean(project)})
	}
}

// specOf returns the spec to which a branch belongs, empty for other branches.
func specOf(ref refs.Name) string {
	for _, family := range families {
		if id, ok := inFamily(ref, family); ok {
			return id
		}
	}
	return ""
}

// inFamily returns the part of a branch name after the family's prefix.
func inFamily(ref refs.Name, family string) (id string, ok bool) {
	return strings.CutPrefix(string(ref), string(familyBranch(family, "")))
}

func familyBranch(family, id string) refs.Name { return refs.Branch(family + "/" + id) }

// branches adds the specs of which only a branch is left.
// With the reftable format this needs a process, so it is done only if other specs were found.
func (l *projectFiles) branches(ctx context.Context) error {
	if _, err := os.Lstat(l.v.Repo.CommonPath("reftable")); err == nil && len(l.specs) == 0 {
		return nil
	}
	l.git.tips = map[refs.Name]object.ID{}
	for _, family := range families {
		names, err := l.v.Repo.Refs.Names(ctx, string(familyBranch(family, "")))
		if err != nil {
			return err
		}
		for _, id := range names {
			ref := familyBranch(family, id)
			tip, err := l.v.Repo.Refs.Ref(ctx, ref)
			if err != nil {
				return err
			}
			l.git.tips[ref] = tip
			if !l.hasSpec(id) && plainName(id) {
				l.spec("", id)
			}
		}
	}
	return nil
}

// hasSpec reports whether a project has a spec of this name.
func (l *projectFiles) hasSpec(id string) bool {
	for _, s := range l.specs {
		if s.id == id {
			return true
		}
	}
	return false
}

// git holds the answers of git that all specs share.
type git struct {
	v       *sources.View
	tips    map[refs.Name]object.ID
	blocked map[string]bool
	gone    []gitstate.Linked
	base    refs.Name
	asked   int // how many worktrees were asked for their status
}

func (g *git) exists(ctx context.Context, ref refs.Name) bool {
	id, err := g.v.Repo.Refs.Ref(ctx, ref)
	var bad *refs.BadError
	return err == nil && id != "" && !errors.As(err, &bad)
}

// itemIn returns the item that a commit subject names, as in "auto-claude: chunk-1-2 - add the form".
func itemIn(subject string) string {
	for _, family := range families {
		rest, ok := strings.CutPrefix(subject, family+": ")
		if !ok {
			continue
		}
		rest = strings.TrimPrefix(rest, "Complete ")
		id, _, _ := strings.Cut(rest, " ")
		return strings.TrimSuffix(id, ":")
	}
	return ""
}
