package page

import "strings"

// Changed prints the lines in which two versions of a file differ. A nil version has no lines.
func (s Page) Changed(was, now []byte) {
	goes, comes := Differing(lines(was), lines(now))
	s.Wholly("- ", goes)
	s.Wholly("+ ", comes)
}

func lines(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// Differing returns the lines that are only in a and the lines that are only in b. For very long texts it may also return common lines.
func Differing(a, b []string) (goes, comes []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	const most = 600
	if len(a) > most || len(b) > most {
		return a, b
	}
	same := make([][]int, len(a)+1) // same[i][j] is the length of the longest common subsequence of a[i:] and b[j:]
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			goes = append(goes, a[i])
			i++
		default:
			comes = append(comes, b[j])
			j++
		}
	}
	return append(goes, a[i:]...), append(comes, b[j:]...)
}

// Wholly prints each line with a mark in front of it, such as "+ " for an added line. It wraps long lines and never shortens them.
func (s Page) Wholly(mark string, lines []string) {
	for _, l := range lines {
		shown, _ := WholeLines(mark, l, "           ", s.Width())
		for _, line := range shown {
			s.Say("%s\n", line)
		}
	}
}
