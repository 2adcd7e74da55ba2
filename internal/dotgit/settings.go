// Package dotgit knows what a repository's own folder asks of those who write into it: its settings file,
// the modes that they ask for, and files that are on the disk when it is said that they are.
//
// It starts no process, and does not know what the files mean.
package dotgit

import "strings"

// ParseSettings reads "section.key" (lower case) from the text of a settings file; subsections are left out.
func ParseSettings(text string) map[string]string {
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
