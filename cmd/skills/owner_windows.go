package main

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to do: a new file has the rights of its directory.
func keepOwner(*os.File, fs.FileInfo) {}
