package release

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
)

// rpmArch maps Go's names of processors to those of rpm.
var rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "arm": "armv7hl"}

// licences is the folder that belongs to the package alone, so rpm must remove it with the package.
const licences = "usr/share/licenses/git-resume/"

// rpmOf makes an RPM package: a lead that only old programs read, checksums, a header that describes the package and its files, and
// the files as a compressed cpio archive.
func rpmOf(v Version, p Platform, c Contents) (Artifact, error) {
	files, err := systemFiles(p, c, "usr/share/zsh/site-functions/_git-resume")
	if err != nil {
		return Artifact{}, err
	}
	files = sorted(append(files, File{licences, 0o755, nil}, File{licences + "LICENSE", 0o644, c.Licence}, File{licences + "THIRD-PARTY.txt", 0o644, c.Notices}))
	plain := cpioArchive(files, v)
	payload, err := compressed(plain)
	if err != nil {
		return Artifact{}, err
	}
	header := rpmHeader(v, p, files, plain, payload)
	name := fmt.Sprintf("git-resume-%s-1.%s", v.packaged(), rpmArch[p.Arch])
	var out bytes.Buffer
	out.Write(rpmLead(name))
	sums := rpmChecksums(header, plain, payload)
	out.Write(sums)
	out.Write(make([]byte, -len(sums)&7)) // the header begins at a multiple of 8
	out.Write(header)
	out.Write(payload)
	return Artifact{name + ".rpm", out.Bytes()}, nil
}

func rpmLead(name string) []byte {
	lead := make([]byte, 96)
	copy(lead, "\xed\xab\xee\xdb\x03\x00\x00\x00\x00\x01")
	copy(lead[10:75], name)
	lead[77], lead[79] = 1, 5 // 1 means Linux, and 5 means that the checksums are stored as a header
	return lead
}

// The tags of rpm that are written here, by the numbers that rpm defines.
const (
	tagSignatures, tagImmutable = 62, 63

	sumSHA1, sumSHA256, sumSize, sumMD5, sumPayloadSize = 269, 273, 1000, 1004, 1007

	tagLocales, tagName, tagVersion, tagRelease, tagSummary, tagDescription        = 100, 1000, 1001, 1002, 1004, 1005
	tagBuildTime, tagBuildHost, tagSize, tagLicence, tagPackager, tagGroup, tagURL = 1006, 1007, 1009, 1014, 1015, 1016, 1020
	tagOS, tagArch, tagFileSizes, tagFileModes, tagFileDevs, tagFileTimes          = 1021, 1022, 1028, 1030, 1033, 1034
	tagFileDigests, tagFileLinks, tagFileFlags, tagFileUsers, tagFileGroups        = 1035, 1036, 1037, 1039, 1040
	tagSource, tagFileVerify, tagProvides, tagNeedFlags, tagNeeds, tagNeedVers     = 1044, 1045, 1047, 1048, 1049, 1050
	tagChangeTime, tagChangeName, tagChangeText                                    = 1080, 1081, 1082
	tagRPMVersion, tagFileDevices, tagFileInodes, tagFileLangs                     = 1064, 1095, 1096, 1097
	tagProvideFlags, tagProvideVers, tagDirIndexes, tagBaseNames, tagDirNames      = 1112, 1113, 1116, 1117, 1118
	tagPayloadFormat, tagPayloadCompressor, tagPayloadFlags, tagFileDigestKind     = 1124, 1125, 1126, 5011
	tagEncoding, tagPayloadDigest, tagPayloadDigestKind, tagPayloadDigestPlain     = 5062, 5092, 5093, 5097
	typeInt16, typeInt32, typeString, typeBytes, typeStrings, typeTranslatedText   = 3, 4, 6, 7, 8, 9

	sha256Kind = 8 // rpm uses the numbers of OpenPGP for kinds of checksums
)

// entry is one entry of an rpm header: a tag, and its values as bytes.
type entry struct {
	tag, kind, count uint32
	data             []byte
}

func text(tag uint32, s string) entry { return entry{tag, typeString, 1, append([]byte(s), 0)} }

func translated(tag uint32, s string) entry {
	return entry{tag, typeTranslatedText, 1, append([]byte(s), 0)}
}

func texts(tag uint32, all ...string) entry {
	var data []byte
	for _, s := range all {
		data = append(append(data, s...), 0)
	}
	return entry{tag, typeStrings, uint32(len(all)), data}
}

func numbers(tag uint32, all ...uint32) entry {
	var data []byte
	for _, n := range all {
		data = binary.BigEndian.AppendUint32(data, n)
	}
	return entry{tag, typeInt32, uint32(len(all)), data}
}

func shorts(tag uint32, all ...uint16) entry {
	var data []byte
	for _, n := range all {
		data = binary.BigEndian.AppendUint16(data, n)
	}
	return entry{tag, typeInt16, uint32(len(all)), data}
}

// headerOf writes entries as an rpm header: an index sorted by tags, and then the data. The argument "region" is the tag of the first index
// entry. This entry and the last 16 bytes of the data say that rpm must keep all other entries unchanged, because checksums cover them.
func headerOf(region uint32, entries []entry) []byte {
	slices.SortFunc(entries, func(a, b entry) int { return int(a.tag) - int(b.tag) })
	var index, data []byte
	for _, e := range entries {
		switch e.kind {
		case typeInt16:
			data = append(data, make([]byte, -len(data)&1)...)
		case typeInt32:
			data = append(data, make([]byte, -len(data)&3)...)
		}
		index = appendEntry(index, e.tag, e.kind, uint32(len(data)), e.count)
		data = append(data, e.data...)
	}
	count := uint32(len(entries) + 1)
	first := appendEntry(nil, region, typeBytes, uint32(len(data)), 16)
	data = appendEntry(data, region, typeBytes, -count*16, 16)
	out := []byte("\x8e\xad\xe8\x01\x00\x00\x00\x00")
	out = binary.BigEndian.AppendUint32(out, count)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return slices.Concat(out, first, index, data)
}

func appendEntry(to []byte, tag, kind, place, count uint32) []byte {
	for _, n := range []uint32{tag, kind, place, count} {
		to = binary.BigEndian.AppendUint32(to, n)
	}
	return to
}

func rpmChecksums(header, plain, payload []byte) []byte {
	both := md5.New()
	both.Write(header)
	both.Write(payload)
	return headerOf(tagSignatures, []entry{
		text(sumSHA1, fmt.Sprintf("%x", sha1.Sum(header))),
		text(sumSHA256, fmt.Sprintf("%x", sha256.Sum256(header))),
		numbers(sumSize, uint32(len(header)+len(payload))),
		{sumMD5, typeBytes, 16, both.Sum(nil)},
		numbers(sumPayloadSize, uint32(len(plain))),
	})
}

func rpmHeader(v Version, p Platform, files []File, plain, payload []byte) []byte {
	entries := []entry{
		texts(tagLocales, "C"), text(tagName, "git-resume"), text(tagVersion, v.packaged()), text(tagRelease, "1"),
		translated(tagSummary, summary), translated(tagDescription, description), translated(tagGroup, "Development/Tools"),
		numbers(tagBuildTime, uint32(v.Time.Unix())), text(tagBuildHost, "reproducible"), text(tagLicence, "MIT"), text(tagPackager, maintainer), text(tagURL, homepage),
		numbers(tagChangeTime, uint32(v.Time.Unix())), texts(tagChangeName, maintainer+" - "+v.packaged()+"-1"),
		texts(tagChangeText, "- Version "+v.Number+". What changed:\n  "+homepage+"/blob/v"+v.Number+"/CHANGELOG.md"),
		text(tagOS, "linux"), text(tagArch, rpmArch[p.Arch]), text(tagSource, "git-resume-"+v.packaged()+"-1.src.rpm"),
		text(tagRPMVersion, "4.14.0"), text(tagEncoding, "utf-8"),
		text(tagPayloadFormat, "cpio"), text(tagPayloadCompressor, "gzip"), text(tagPayloadFlags, "9"),
		texts(tagPayloadDigest, fmt.Sprintf("%x", sha256.Sum256(payload))), numbers(tagPayloadDigestKind, sha256Kind),
		texts(tagPayloadDigestPlain, fmt.Sprintf("%x", sha256.Sum256(plain))),
	}
	return headerOf(tagImmutable, slices.Concat(entries, rpmRelations(v, p), rpmFiles(v, files)))
}

// Bits of the flags that say how rpm compares versions.
const (
	isLess, isGreater, isEqual, ofRPM = 1 << 1, 1 << 2, 1 << 3, 1 << 24
)

// rpmRelations says what the package provides and needs. A need that begins with rpmlib is a feature that the installing rpm must have.
func rpmRelations(v Version, p Platform) []entry {
	ours := v.packaged() + "-1"
	inner := uint32(isLess | isEqual | ofRPM)
	bits := map[string]string{"amd64": "x86-64", "arm64": "aarch-64", "arm": "armv7hl-32"}[p.Arch]
	return []entry{
		texts(tagProvides, "git-resume", "git-resume("+bits+")"), numbers(tagProvideFlags, isEqual, isEqual), texts(tagProvideVers, ours, ours),
		texts(tagNeeds, "git", "rpmlib(CompressedFileNames)", "rpmlib(FileDigests)", "rpmlib(PayloadFilesHavePrefix)"),
		numbers(tagNeedFlags, isGreater|isEqual, inner, inner, inner),
		texts(tagNeedVers, v.Git, "3.0.4-1", "4.6.0-1", "4.0-1"),
	}
}

// Flags that tell rpm which files are documentation and which are licences.
const (
	isDocument, isLicence = 1 << 1, 1 << 7
)

// rpmFiles describes the files: one list for each property, all in the order of the payload.
func rpmFiles(v Version, files []File) []entry {
	n := len(files)
	sizes, times, flags, verify := make([]uint32, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	devices, inodes, folderOf := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	modes, nodes := make([]uint16, n), make([]uint16, n)
	names, digests, empty, users := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	var folders []string
	total := 0
	for i, f := range files {
		dir, base := path.Split(path.Clean("/" + f.Path))
		if !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
		names[i], folderOf[i], users[i] = base, uint32(slices.Index(folders, dir)), "root"
		modes[i], times[i], sizes[i] = modeOf(f), uint32(v.Time.Unix()), uint32(len(f.Data))
		devices[i], inodes[i], flags[i], verify[i] = 1, uint32(i+1), flagsOf(f), ^uint32(0)
		if !f.isFolder() {
			digests[i] = fmt.Sprintf("%x", sha256.Sum256(f.Data))
		}
		total += len(f.Data)
	}
	return []entry{
		numbers(tagSize, uint32(total)), numbers(tagFileSizes, sizes...), shorts(tagFileModes, modes...), shorts(tagFileDevs, nodes...),
		numbers(tagFileTimes, times...), texts(tagFileDigests, digests...), texts(tagFileLinks, empty...), numbers(tagFileFlags, flags...),
		texts(tagFileUsers, users...), texts(tagFileGroups, users...), numbers(tagFileVerify, verify...), numbers(tagFileDevices, devices...),
		numbers(tagFileInodes, inodes...), texts(tagFileLangs, empty...), numbers(tagDirIndexes, folderOf...), texts(tagBaseNames, names...),
		texts(tagDirNames, folders...), numbers(tagFileDigestKind, sha256Kind),
	}
}

func flagsOf(f File) uint32 {
	switch path.Dir(f.Path) {
	case "usr/share/man/man1":
		return isDocument
	case path.Clean(licences):
		if !f.isFolder() {
			return isLicence
		}
	}
	return 0
}

func modeOf(f File) uint16 {
	if f.isFolder() {
		return 0o040000 | uint16(f.Mode)
	}
	return 0o100000 | uint16(f.Mode)
}

// cpioArchive writes the cpio format newc: numbers are text, and each header and each content starts at a multiple of 4 bytes.
func cpioArchive(files []File, v Version) []byte {
	var out bytes.Buffer
	put := func(inode int, mode uint16, links int, at int64, name string, data []byte) {
		fmt.Fprintf(&out, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode, mode, 0, 0, links, at, len(data), 0, 1, 0, 0, len(name)+1, 0)
		out.WriteString(name + "\x00")
		out.Write(make([]byte, -out.Len()&3))
		out.Write(data)
		out.Write(make([]byte, -out.Len()&3))
	}
	for i, f := range files {
		links := 1
		if f.isFolder() {
			links = 2
		}
		put(i+1, modeOf(f), links, v.Time.Unix(), "./"+path.Clean(f.Path), f.Data)
	}
	put(0, 0, 1, 0, "TRAILER!!!", nil)
	return out.Bytes()
}
