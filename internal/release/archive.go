package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"time"
)

// archiveOf makes the archive for a platform: a zip file for Windows, and for all others a compressed tar file, which install.sh can
// install.
func archiveOf(v Version, p Platform, c Contents) (Artifact, error) {
	top := "git-resume-" + v.Number + "-" + p.name()
	files := archiveFiles(p, c)
	for i := range files {
		files[i].Path = path.Join(top, files[i].Path)
	}
	if p.OS == "windows" {
		data, err := zipped(files, v.Time)
		return Artifact{top + ".zip", data}, err
	}
	data, err := tarred(files, v.Time)
	if err == nil {
		data, err = compressed(data)
	}
	return Artifact{top + ".tar.gz", data}, err
}

// archiveFiles lists the files below the archive's top folder. Files that are also in a checkout have the same paths as there, so that
// install.sh works in an archive and in a checkout.
func archiveFiles(p Platform, c Contents) []File {
	files := []File{
		{p.Program(), 0o755, c.Program},
		{"install.sh", 0o755, c.Script},
		{"LICENSE", 0o644, c.Licence},
		{"THIRD-PARTY.txt", 0o644, c.Notices},
		{"completions/git-resume.bash", 0o644, c.Bash},
		{"completions/_git-resume", 0o644, c.Zsh},
		{"completions/git-resume.fish", 0o644, c.Fish},
		{"completions/git-resume-conf.fish", 0o644, c.FishConf},
	}
	for _, page := range c.Manual {
		files = append(files, File{"man/" + page.Path, 0o644, page.Data})
	}
	return sorted(append(files, c.Texts...))
}

// tarred writes a tar file. All its entries belong to root and have the same time.
func tarred(files []File, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: f.Mode, Size: int64(len(f.Data)),
			Uname: "root", Gname: "root", ModTime: at, Format: tar.FormatUSTAR}
		if f.isFolder() {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func zipped(files []File, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(fs.FileMode(f.Mode))
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// compressed compresses data with gzip. The gzip header contains no name and no time.
func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
