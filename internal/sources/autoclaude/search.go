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
	"github.com/git-resume/git-resume/internal/textdoc"
)

const system = "auto-claude"

// roots are the folders that hold specs, the newest version's folder first.
var roots = []string{".auto-claude/specs", "auto-claude/specs", "auto-build/specs"}

// families are the possible first parts of the specs' branch names, the newest first.
var families = []string{"auto-claude", "auto-build"}

// projectFiles holds the specs found in a repository, and the data that several specs need.
type projectFiles struct {
	v       *sources.View
	specs   map[string]*spec
	refused []sources.Doubt
	// marks holds warnings about unreadable status files.
	marks []sources.Doubt
	git   git
	// reported maps the keys of the reported specs to what was read about them.
	reported map[string]*reading
}

// spec is one spec with all folders and files that were found for it.
type spec struct {
	project string // the folder of the spec's project with a slash at the end, or empty for the top
	id      string
	folders []folder
	marks   []placedMark
	// strays are plans at the top of a project, where the quality check of some versions wrote them.
	strays []folder
}

// key returns the folder of the project followed by the spec's id. This identifies the spec within the repository.
func (s *spec) key() string { return s.project + s.id }

// folder is the folder of a spec in one worktree, or the top of a project for a misplaced plan.
type folder struct {
	tree sources.Tree
	path string
	// names holds the direct entries of the folder. If it is nil, each name is looked up on disk.
	names *names
}

type names map[string]bool

func (f folder) file(name string) string { return path.Join(f.path, name) }

func (f folder) read(name string) ([]byte, error) { return f.tree.Read(f.file(name)) }

func (f folder) json(name string) (textdoc.Value, error) {
	data, err := f.read(name)
	if err != nil {
		return textdoc.Value{}, err
	}
	return textdoc.ParseJSON(data)
}

// has reports whether the folder contains a file or folder. For a direct entry it uses the list of entries if there is one, because each
// spec needs dozens of lookups.
func (f folder) has(name string) bool {
	first, below, nested := strings.Cut(name, "/")
	if f.names != nil && !(*f.names)[first] {
		return false
	}
	return f.names != nil && (!nested || below == "") || f.tree.Has(f.file(name))
}

// listed returns a folder with its list of entries. The folder must not be a symbolic link.
func listed(t sources.Tree, dir string) folder {
	f := folder{tree: t, path: dir, names: &names{}}
	for _, name := range namesIn(filepath.Join(t.WorkTree, filepath.FromSlash(dir)), sources.MaxEntries) {
		(*f.names)[name] = true
	}
	return f
}

// isSpec reports whether the folder holds a spec: a plan, what its build recorded, or what a step of the planning wrote. An empty folder
// counts if its name starts with a number, because Auto-Claude numbers the folders of specs, and may have stopped in the first step.
func (f folder) isSpec(name string) bool {
	if len(*f.names) == 0 {
		return len(name) > 4 && strings.Trim(name[:3], "0123456789") == "" && name[3] == '-'
	}
	return f.has("memory") || slices.ContainsFunc(steps, func(s step) bool { return f.has(s.file) })
}

type placedMark struct {
	mark
	tree sources.Tree
	path string
}

// search finds specs by their folders, by status files, by plans at the top of a project, and by branches.
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

// mostProjects limits how many entries of the top folder are examined.
const mostProjects = 200

// projectsOf returns the folders that may be projects of Auto-Claude: the top, folders named in the settings, and folders directly below
// the top that contain .auto-claude/specs.
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
		// A name with a dot is probably a file or a hidden folder. It is skipped, because checking every entry would be slow.
		if p := name + "/"; !strings.Contains(name, ".") && top.Has(p+roots[0]) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// namesIn returns the names of the entries in a folder, or none if the folder cannot be listed. It returns at most as many names as the
// argument "most" says.
func namesIn(dir string, most int) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(most) // keep the names that were read before an error
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

// folders adds the specs in one of the folders that hold specs. It reports a symbolic link only for the first worktree, because links in
// other worktrees usually lead to the first one.
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
			if f := listed(t, dir); f.isSpec(e.Name()) {
				s := l.spec(project, e.Name())
				s.folders = append(s.folders, f)
			}
		}
	}
}

// readMark reads a status file. If the file cannot be read, readMark adds a warning and uses an older version from the history. It
// ignores a file without a valid name of a spec.
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

// history returns the committed versions of a file, or nothing if git fails.
func (l *projectFiles) history(ctx context.Context, t sources.Tree, file string) []sources.Version {
	all, err := l.v.History(ctx, t, file, mostVersions)
	if err != nil {
		return nil // git fails, for example, on a branch without commits
	}
	return all
}

const mostVersions = 20

// plainName reports whether a name is valid for a spec: a single path component that does not start with a dash.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, `/\`) && !strings.HasPrefix(name, "-")
}

// findStray adds a plan file at the top of a project. Other tools use the same file name, so the plan must name a spec, or the checked-out
// branch must belong to one.
func (l *projectFiles) findStray(t sources.Tree, project string) {
	id := specOf(t.Branch)
	if l.isNumbered(t, id) {
		id = "" // this is not the plan of the branch's spec, because that spec has its own folder
	}
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

// specOf returns the id of the spec to which a branch belongs, or "" for other branches.
func specOf(ref refs.Name) string {
	for _, family := range families {
		if id, ok := inFamily(ref, family); ok {
			return id
		}
	}
	return ""
}

// inFamily returns the part of a branch name after the family and a slash. ok is false if the branch belongs to another family or to
// none.
func inFamily(ref refs.Name, family string) (id string, ok bool) {
	return strings.CutPrefix(string(ref), string(familyBranch(family, "")))
}

func familyBranch(family, id string) refs.Name { return refs.Branch(family + "/" + id) }

// branches records the branches of specs, and adds the specs of which only a branch is left. In a repository with reftables, it does
// nothing if no spec was found before, because listing the branches would start a git process.
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
			if t, ok := l.v.OnBranch(ref); !l.hasSpec(id) && plainName(id) && !(ok && l.isNumbered(t, id)) {
				l.spec("", id)
			}
		}
	}
	return nil
}

// hasSpec reports whether any project has a spec with this id.
func (l *projectFiles) hasSpec(id string) bool {
	for _, s := range l.specs {
		if s.id == id {
			return true
		}
	}
	return false
}

// isNumbered reports whether a worktree has no folder for the spec with this id, but has one for a spec with the same number. People change
// the words in the name of a branch, so the number identifies the spec.
func (l *projectFiles) isNumbered(t sources.Tree, id string) bool {
	number := id[:len(id)-len(strings.TrimLeft(id, "0123456789"))]
	if len(number) < len("001") {
		return false
	}
	same := false
	for _, s := range l.specs {
		here := slices.ContainsFunc(s.folders, func(f folder) bool { return f.tree.WorkTree == t.WorkTree })
		if here && s.id == id {
			return false
		}
		same = same || here && strings.HasPrefix(s.id, number+"-")
	}
	return same
}

// The type git caches facts about the repository that several specs need.
type git struct {
	v       *sources.View
	tips    map[refs.Name]object.ID
	blocked map[string]bool
	gone    []gitstate.Linked
	base    refs.Name
	asked   int // how often the method "uncommitted" was called
}

func (g *git) exists(ctx context.Context, ref refs.Name) bool {
	id, err := g.v.Repo.Refs.Ref(ctx, ref)
	var bad *refs.BadError
	return err == nil && id != "" && !errors.As(err, &bad)
}

// itemIn returns the item that a commit subject names, such as chunk-1-2 in "auto-claude: chunk-1-2 - add the form". It returns "" if the
// subject does not start with "auto-claude: " or "auto-build: ".
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
