// Package catalog turns a tree of files into skills.
package catalog
