// Faults of any page, in `faults`.
const faults = [];
const shown = (text) => '`' + text.trim().replace(/\s+/g, ' ').slice(0, 60) + '`';

const isScrolled = (element) => element.closest('pre, .scroll') !== null;

// Nothing is wider than the window.
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) faults.push('the page is wider than the window');
for (const element of document.body.querySelectorAll('*')) {
  if (element.closest('.skip, svg, pre > *, .scroll > *')) continue;
  const box = element.getBoundingClientRect();
  if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5)) {
    faults.push(`${element.tagName} ${shown(element.textContent)} is wider than the window`);
  }
}

// No text overlaps another. Lines of one element are one text; texts that scroll are checked in
// their layout.
const texts = [];
// On a phone, each cell of the table has its heading in front.
const cells = [...document.querySelectorAll('.designs td[data-label]')];
const haveHeadings = cells.every((cell) => getComputedStyle(cell, '::before').content !== 'none');
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode;
  const parent = node.parentElement;
  if (!node.data.trim() || parent.closest('.skip, style, script, noscript, [hidden]')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
  if (boxes.length === 0 && !(parent.closest('.designs thead') && haveHeadings)) faults.push(`${shown(node.data)} is invisible`);
  // The letters of a line are lower than the line.
  const inner = boxes.map((box) => ({ left: box.left + 0.5, right: box.right - 0.5,
    top: box.top + box.height * 0.2, bottom: box.bottom - box.height * 0.2 }));
  texts.push({ node, parent, boxes: inner });
}
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const bands = new Map();
for (const text of texts) {
  for (const box of text.boxes) {
    for (let band = Math.floor(box.top / 50); band <= Math.floor(box.bottom / 50); band++) {
      for (const other of bands.get(band) ?? []) {
        if (other.text !== text && meet(other.box, box)) {
          faults.push(`${shown(text.node.data)} overlaps ${shown(other.text.node.data)}`);
        }
      }
      if (!bands.has(band)) bands.set(band, []);
      bands.get(band).push({ text, box });
    }
  }
}

// The content of a box stays in it.
for (const element of document.querySelectorAll('figure, td, th, li, pre')) {
  if (element.scrollWidth > element.clientWidth + 1 && !isScrolled(element) && element.clientWidth > 0) {
    faults.push(`${element.tagName} ${shown(element.textContent)} runs out of its box`);
  }
}

// A page has one title, headings in order, and a language.
if (document.querySelectorAll('h1').length !== 1 || !document.documentElement.lang) faults.push('no title or language');
let level = 1;
for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
  const next = Number(heading.tagName[1]);
  if (next > level + 1) faults.push(`${shown(heading.textContent)} skips a level`);
  level = next;
}
// The contrast of letters and their background is at least 4.5 to 1, as WCAG requires.
const luminance = (color) => {
  const [red, green, blue] = color.match(/[\d.]+/g).map(Number).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const groundOf = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color !== 'rgba(0, 0, 0, 0)' && color !== 'transparent') return color;
  }
  return 'rgb(255, 255, 255)';
};
const contrastOf = (a, b) => {
  const [light, dark] = [luminance(a), luminance(b)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const reported = new Set();
for (const { node, parent } of texts) {
  const contrast = contrastOf(getComputedStyle(parent).color, groundOf(parent));
  if (contrast < 4.5 && !reported.has(parent.className)) {
    reported.add(parent.className);
    faults.push(`${shown(node.data)} is hard to read: contrast ${contrast.toFixed(1)}`);
  }
}
