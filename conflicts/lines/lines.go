package lines

import "bytes"

// Line is a number that identifies a line's text: two lines have the same number if all their bytes are equal,
// including the line ending. So a last line without a newline differs from the same line with one, as in git.
type Line int32

// Numbers assigns the numbers. All texts of one merge share one Numbers.
type Numbers map[string]Line

// Cut returns the numbers of a text's lines.
func (in Numbers) Cut(text []byte) []Line {
	out := make([]Line, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		id, known := in[string(text[:end])]
		if !known {
			id = Line(len(in))
			in[string(text[:end])] = id
		}
		out = append(out, id)
		text = text[end:]
	}
	return out
}

// binaryProbe is how far git looks for a NUL byte before it treats a file as text.
const binaryProbe = 8000

func IsBinary(text []byte) bool {
	return bytes.IndexByte(text[:min(len(text), binaryProbe)], 0) >= 0
}
