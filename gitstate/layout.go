package gitstate

import (
	"path/filepath"
	"strings"
)

// layout is what a repository's own settings say about where its work tree is.
// git takes it from these files alone, never from the user's settings or from included files,
// so that it can be read here without starting git.
type layout struct {
	bare     bool
	workTree string
}

// readLayout reads the shared settings, and above them the worktree's own where these are in use.
// A linked worktree without settings of its own is neither bare nor elsewhere, whatever the shared ones say.
func readLayout(gitDir, commonDir string) layout {
	s := readSettings(filepath.Join(commonDir, "config"))
	if isTrue(s["extensions.worktreeconfig"]) {
		for key, value := range readSettings(filepath.Join(gitDir, "config.worktree")) {
			s[key] = value
		}
	} else if gitDir != commonDir {
		return layout{}
	}
	return layout{bare: isTrue(s["core.bare"]), workTree: s["core.worktree"]}
}

// readSettings reads "section.key" (lower case) of a settings file; subsections are left out.
func readSettings(path string) map[string]string {
	text, err := readFile(path)
	if err != nil {
		return map[string]string{}
	}
	return parseSettings(string(text))
}

func parseSettings(text string) map[string]string {
	out := map[string]string{}
	section := ""
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", "") // a value may go on in the next line
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, behind, _ := strings.Cut(rest, "]")
			section, line = strings.ToLower(name), strings.TrimSpace(behind)
		}
		key, value, set := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if key == "" || strings.ContainsAny(key[:1], "#;") || strings.ContainsAny(section, ` "`) {
			continue
		}
		if !set {
			value = "true" // a key without "=" means true
		}
		out[section+"."+key] = settingValue(value)
	}
	return out
}

// settingValue takes quotes, escapes and a comment out of a value as it is written in the file.
func settingValue(raw string) string {
	var b strings.Builder
	quoted, kept := false, 0
	raw = strings.TrimLeft(raw, " \t")
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case c == '\\' && i+1 < len(raw):
			i++
			c = escaped(raw[i])
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

// isTrue reads a yes/no setting; what is neither counts as no.
func isTrue(v string) bool {
	b, _ := parseBool(v)
	return b
}
