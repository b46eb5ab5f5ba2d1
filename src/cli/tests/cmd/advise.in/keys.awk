# Prints keys of a kind.
function hex(n) { return sprintf("%08x", (n * 2654435761) % 4294967296) }
BEGIN {
    for (n = 0; n < count; n++) {
        if (kind == "tenant") printf "tenant-a|%08d\n", n * 48271 % 1000003
        else if (kind == "domain") print n % 3 ? "https://shop" n % 7 ".acme.com/" n : "https://site" n % 5000 ".example/" n
        else if (kind == "pages") print "https://h" int(n / 10) ".example/" n
        else if (kind == "long") printf "%0" 90 + int(n / 2) "d\r\n", n / 2
        else if (kind == "random") print hex(n)
        else if (kind == "same") print "same"
        else printf "%010d\n", n
    }
    if (kind == "pages") print "http://http://code.google.com/p/ucpp/"
}
