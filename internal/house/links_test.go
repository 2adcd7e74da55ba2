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

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```[^\n]*$|`[^`\n]*`")
	linkForm = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// linkFaults returns the links of a document that lead to a missing file, or to a missing heading of a file. The function "read" returns a
// file's text, or false if the file does not exist. Links to other sites are not checked.
func linkFaults(file, text string, read func(string) (string, bool)) (faults []string) {
	for _, m := range linkForm.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		to := m[1]
		if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
			continue
		}
		place, anchor, _ := strings.Cut(to, "#")
		target, there := text, true
		if place != "" {
			target, there = read(path.Join(path.Dir(file), place))
		}
		if !there || anchor != "" && !slices.Contains(anchors(target), anchor) {
			faults = append(faults, file+" leads to "+to+", which is not there")
		}
	}
	return faults
}

// anchors returns the names under which a page's headings can be reached.
func anchors(text string) (out []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(unlinked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// TestLinks checks every link of the documents that leads to a file of the project. It also checks that docs/README.md leads to every
// page in docs, and docs/design/README.md to every design note.
func TestLinks(t *testing.T) {
	t.Parallel()
	read := func(file string) (string, bool) {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			info, err := os.Stat(filepath.Join(root, file))
			return "", err == nil && info.IsDir()
		}
		return string(data), true
	}
	index, _ := read("docs/README.md")
	notes, _ := read("docs/design/README.md")
	for _, file := range allFiles(t) {
		if !strings.HasSuffix(file, ".md") {
			continue
		}
		text, _ := read(file)
		for _, fault := range linkFaults(file, text, read) {
			t.Error(fault)
		}
		if note, ok := strings.CutPrefix(file, "docs/design/"); ok && note != "README.md" {
			if !strings.Contains(notes, "]("+note+")") {
				t.Errorf("docs/design/README.md does not lead to %s", note)
			}
		} else if page, ok := strings.CutPrefix(file, "docs/"); ok && page != "README.md" && !strings.Contains(index, "]("+page+")") {
			t.Errorf("docs/README.md does not lead to %s", page)
		}
	}
}

// TestLinks_bites checks that linkFaults reports wrong links and accepts right ones.
func TestLinks_bites(t *testing.T) {
	t.Parallel()
	files := map[string]string{"docs/a.md": "# The first: part\n", "README.md": "# Top\n"}
	read := func(file string) (string, bool) { text, ok := files[file]; return text, ok }
	for text, want := range map[string]bool{
		"[a](a.md)": true, "[a](a.md#the-first-part)": true, "[top](../README.md)": true, "[far](https://example.com/x)": true, "`[x](gone.md)`": true,
		"# Own\n[here](#own)": true, "```\n[x](gone.md)\n```\n": true,
		"[a](b.md)": false, "[a](a.md#second)": false, "[up](../../README.md)": false, "[here](#own)": false,
	} {
		if got := linkFaults("docs/page.md", text, read); (len(got) == 0) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
