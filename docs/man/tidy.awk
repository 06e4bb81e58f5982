# SPDX-License-Identifier: GPL-2.0-or-later
# Takes out the paragraphs without text that scdoc leaves, of which mandoc -Tlint complains: a .P is
# kept until text follows, behind what ends an indented block, and dropped at headings.
$1 == ".P" {
    kept = !after_heading
    next
}
{
    if (kept && $1 != ".SH" && $1 != ".SS" && $1 != ".RE") {
        if ($1 != ".RS")
            print ".P"
        kept = 0
    }
    after_heading = $1 == ".SH" || $1 == ".SS" || $1 == ".TH"
    if (after_heading)
        kept = 0
    print
}
