// Package dotgit helps programs that write into a repository's .git folder. It reads git's settings file, sets the file modes that
// core.sharedRepository requires, and can wait until files are on the disk. It starts no process.
package dotgit

import "strings"

// ParseSettings reads the text of a git config file into a map from "section.key" (lower case) to the value. It leaves out subsections.
func ParseSettings(text string) map[string]string {
	out := map[string]string{}
	section := ""
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\\\n", "") // a value may continue on the next line
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

// settingValue removes quotes, escapes and a comment from a value of the file.
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
