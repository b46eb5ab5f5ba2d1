# Prints rows of a kind.
function mixed(n) { return int(n * 2654435761 % 4294967296 / 65536) }
BEGIN {
    srand(1)
    for (n = 0; n < count; n++) {
        if (kind == "id") printf "%010d\n", n
        else if (kind == "page") print "https://h" int(n / 3) ".example/" n
        else if (kind == "reading") printf "sensor%d|%.0f\n", n % 90, 1696744051903 + n * 1000
        else if (kind == "path") print (n % 5 < 2 ? "com.github/" : "org.site" n % 97 "/") "project" n
        else if (kind == "random") printf "%08x%08x\n", rand() * 4294967296, rand() * 4294967296
        else if (kind == "salted") printf "%02x--user%d\n", (mixed(n) + mixed(n * 31 + 7)) % 256, n
        else print "x/" n
    }
}
