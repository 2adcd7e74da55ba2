package sources

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Superpowers is the name of the source that reads the plans of the superpowers skills.
const Superpowers = "superpowers"

// SuperpowersPlans is the folder of the plans of superpowers. superpowersOldPlans is the folder that earlier versions of superpowers used.
// Other tools keep plans in that folder too.
const (
	SuperpowersPlans    = "docs/superpowers/plans"
	superpowersOldPlans = "docs/plans"
)

// superpowersHead is how many bytes at the start of a plan are searched for the name of a skill.
const superpowersHead = 1500

// groups are names of folders that usually contain the packages of a project.
var groups = []string{"packages", "apps", "services", "libs", "modules", "crates"}

// SuperpowersFolders returns the folders of a worktree that may contain plans of superpowers. These are the folders of plans at its top and
// in the projects below it, and the folders that the setting resume.superpowers.path names.
func SuperpowersFolders(v *View, t Tree) []string {
	var out []string
	add := func(project string) {
		for _, dir := range []string{SuperpowersPlans, superpowersOldPlans} {
			if dir = path.Join(project, dir); t.Has(dir) {
				out = append(out, dir)
			}
		}
	}
	add("")
	for _, project := range t.Projects("docs") {
		add(project)
	}
	for _, dir := range v.namedFolders(Superpowers) {
		if t.Has(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// Projects returns the folders that may be separate projects and contain an entry with the given name. It looks directly below the top of
// the worktree, and in folders such as packages.
func (t Tree) Projects(mark string) (out []string) {
	below := func(parent string) {
		entries, err := t.List(parent)
		if err != nil {
			return // a folder that cannot be read counts as one without projects
		}
		for _, e := range entries {
			project := path.Join(parent, e.Name())
			if e.IsDir() && t.Has(project+"/"+mark) && !t.Has(project+"/.git") { // a folder with .git is another worktree or repository
				out = append(out, project)
			}
		}
	}
	below(".")
	for _, g := range groups {
		if t.Has(g) {
			below(g)
		}
	}
	return out
}

// isSuperpowersFolder reports whether SuperpowersFolders would return a folder with this path, if the worktree had it.
func isSuperpowersFolder(v *View, dir string) bool {
	for _, own := range []string{SuperpowersPlans, superpowersOldPlans} {
		project, ok := strings.CutSuffix("/"+dir, "/"+own)
		parts := strings.Split(strings.TrimPrefix(project, "/"), "/")
		if ok && (len(parts) == 1 || len(parts) == 2 && slices.Contains(groups, parts[0])) {
			return true
		}
	}
	return slices.Contains(v.namedFolders(Superpowers), dir)
}

// SuperpowersName reports whether a file in a folder of plans may be a plan of superpowers, by its name. In docs/plans, which other tools
// use too, the name must begin with "20", as a date does.
func SuperpowersName(dir, name string) bool {
	old := strings.HasSuffix("/"+dir, "/"+superpowersOldPlans)
	return strings.HasSuffix(name, ".md") && (!old || strings.HasPrefix(name, "20"))
}

// NamesSuperpowers reports whether the beginning of a document names a skill of superpowers.
func NamesSuperpowers(data []byte) bool {
	return bytes.Contains(data[:min(len(data), superpowersHead)], []byte(Superpowers+":"))
}

// IsSuperpowersPlan reports whether a file is read as a plan of superpowers. Such a file must not be reported as a task list by another
// reader.
func IsSuperpowersPlan(v *View, t Tree, file string) bool {
	dir := path.Dir(file)
	if !SuperpowersName(dir, path.Base(file)) || !isSuperpowersFolder(v, dir) || v.Setting != nil && !Selects(v.Setting("resume.sources"), Superpowers) {
		return false
	}
	data, err := t.Read(file)
	return err == nil && NamesSuperpowers(data)
}
