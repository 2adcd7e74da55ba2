package sources

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Superpowers is the source of plans for the skills of that name.
const Superpowers = "superpowers"

// SuperpowersPlans is the folder of its plans, and superpowersOldPlans the folder that earlier versions used for all dated plans.
const (
	SuperpowersPlans    = "docs/superpowers/plans"
	superpowersOldPlans = "docs/plans"
)

// superpowersHead is the number of bytes in which a plan names the skill that carries it out.
const superpowersHead = 1500

// groups are folders that contain the packages of a project.
var groups = []string{"packages", "apps", "services", "libs", "modules", "crates"}

// SuperpowersFolders returns the folders of a worktree that may contain plans of superpowers: at its top, in each folder below it, in
// packages, and what the setting resume.superpowers.path names.
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

// Projects returns the folders that may be projects of their own and have an entry with the given name: those directly below the top of the
// worktree, and those in folders of packages.
func (t Tree) Projects(mark string) (out []string) {
	below := func(parent string) {
		entries, err := t.List(parent)
		if err != nil {
			return // what cannot be read has no project either
		}
		for _, e := range entries {
			project := path.Join(parent, e.Name())
			if e.IsDir() && t.Has(project+"/"+mark) && !t.Has(project+"/.git") { // a folder with .git is a worktree or a repository of its own
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

// isSuperpowersFolder reports whether SuperpowersFolders looks into a folder.
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

// SuperpowersName reports whether a file in a folder of plans may be a plan of superpowers. In the folder that other people use too, its
// name begins with a date.
func SuperpowersName(dir, name string) bool {
	old := strings.HasSuffix("/"+dir, "/"+superpowersOldPlans)
	return strings.HasSuffix(name, ".md") && (!old || strings.HasPrefix(name, "20"))
}

// NamesSuperpowers reports whether the beginning of a document names a skill of superpowers.
func NamesSuperpowers(data []byte) bool {
	return bytes.Contains(data[:min(len(data), superpowersHead)], []byte(Superpowers+":"))
}

// IsSuperpowersPlan reports whether the reader of superpowers reads a file, so that no other reader shows it as a list of its own.
func IsSuperpowersPlan(v *View, t Tree, file string) bool {
	dir := path.Dir(file)
	if !SuperpowersName(dir, path.Base(file)) || !isSuperpowersFolder(v, dir) || v.Setting != nil && !Selects(v.Setting("resume.sources"), Superpowers) {
		return false
	}
	data, err := t.Read(file)
	return err == nil && NamesSuperpowers(data)
}
