package fetchtest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path"
)

// pack packs files into an archive of the format that a name tells: .zip, .skill, .tar, or else a gzipped tar.
func pack(name string, files []bundled) ([]byte, error) {
	var packed bytes.Buffer
	var err error
	switch path.Ext(name) {
	case ".zip", ".skill":
		err = packZip(&packed, files)
	case ".tar":
		err = packTar(&packed, files)
	default:
		compressed := gzip.NewWriter(&packed)
		err = errors.Join(packTar(compressed, files), compressed.Close())
	}
	return packed.Bytes(), err
}

func packTar(to io.Writer, files []bundled) error {
	w := tar.NewWriter(to)
	for _, file := range files {
		header := &tar.Header{Name: file.name, Mode: int64(file.mode.Perm()), Typeflag: tar.TypeReg, Size: int64(len(file.body))}
		if file.mode&fs.ModeSymlink != 0 {
			header.Typeflag, header.Linkname, header.Size = tar.TypeSymlink, string(file.body), 0
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(file.body[:header.Size]); err != nil {
			return err
		}
	}
	return w.Close()
}

func packZip(to io.Writer, files []bundled) error {
	w := zip.NewWriter(to)
	for _, file := range files {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate}
		header.SetMode(file.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(file.body); err != nil {
			return err
		}
	}
	return w.Close()
}
