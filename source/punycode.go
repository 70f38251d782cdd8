package source

import "strings"

// toASCII gives the ASCII form of a host name: labels with other letters in Punycode behind "xn--".
func toASCII(host string) string {
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if strings.ContainsFunc(label, func(c rune) bool { return c > 0x7f }) {
			labels[i] = "xn--" + punycode([]rune(label))
		}
	}
	return strings.Join(labels, ".")
}

// punycode encodes a label (RFC 3492, section 6.3, with the parameters of section 5).
func punycode(label []rune) string {
	out, basic := basicLetters(label)
	delta, bias, done := 0, 72, basic
	for n := rune(0x80); done < len(label); n++ {
		next := smallest(label, n)
		delta += int(next-n) * (done + 1)
		n = next
		for _, c := range label {
			if c < n {
				delta++
			}
			if c == n {
				out = digits(out, delta, bias)
				bias = adapt(delta, done+1, done == basic)
				delta = 0
				done++
			}
		}
		delta++
	}
	return string(out)
}

// basicLetters gives the ASCII letters of a label, their number, and behind them the hyphen that ends them.
func basicLetters(label []rune) (out []byte, n int) {
	for _, c := range label {
		if c < 0x80 {
			out = append(out, byte(c))
		}
	}
	if len(out) == 0 {
		return nil, 0
	}
	return append(out, '-'), len(out)
}

// smallest gives the smallest letter of a label that is at least n.
func smallest(label []rune, n rune) rune {
	least := rune(0x10ffff)
	for _, c := range label {
		if c >= n {
			least = min(least, c)
		}
	}
	return least
}

// digits appends a delta as a number of variable length.
func digits(out []byte, delta, bias int) []byte {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := 36; ; k += 36 {
		threshold := min(max(k-bias, 1), 26)
		if delta < threshold {
			return append(out, alphabet[delta])
		}
		out = append(out, alphabet[threshold+(delta-threshold)%(36-threshold)])
		delta = (delta - threshold) / (36 - threshold)
	}
}

// adapt moves the bias towards the size of the deltas seen.
func adapt(delta, points int, first bool) int {
	if first {
		delta /= 700
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > 455; k += 36 {
		delta /= 35
	}
	return k + 36*delta/(delta+38)
}
