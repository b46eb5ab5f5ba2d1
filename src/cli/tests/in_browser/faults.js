(() => {
  const faults = [];
  const shown = (text) => '`' + text.trim().replace(/\s+/g, ' ').slice(0, 60) + '`';

  const isScrolled = (element) => element.closest('pre') !== null;

  // Nothing is wider than the window.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push('the page is wider than the window');
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.skip, svg, pre > *')) continue;
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
    if (!node.data.trim() || parent.closest('.skip, style, script')) continue;
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

  // Every picture has a name, and the first screen shows the first ones. A design that is no fault has
  // no alarm, and an alarm is told by its figure too.
  const figures = document.querySelectorAll('figure');
  if (figures.length < 2) faults.push('pictures are missing');
  for (const figure of figures) {
    const name = shown(figure.querySelector('figcaption').textContent);
    for (const picture of figure.querySelectorAll('figure > svg')) {
      if (!picture.getAttribute('aria-label')) faults.push(`a picture of ${name} has no name`);
      const { bottom } = picture.getBoundingClientRect();
      if (figure.closest('#advice') && bottom > window.innerHeight) faults.push(`${name} is below the first screen`);
      if (!picture.querySelector('.alarm')) continue;
      if (!/uneven|hot end/.test(name)) faults.push(`${name} has an alarm`);
      if (!picture.querySelector('text')?.textContent) faults.push(`${name} is shown by color only`);
    }
  }
  if (!document.querySelector('#advice figure > svg')) faults.push('the first screen has no picture');
  const steps = [...document.querySelectorAll('.legend li')];
  if (steps.length < 2 || steps.some((step) => !/[0-9½]|none/.test(step.textContent))) faults.push('the scale has no words');

  // A page has one title, headings in order, and a language; it loads nothing from the network.
  if (document.querySelectorAll('h1').length !== 1 || !document.documentElement.lang) faults.push('no title or language');
  let level = 1;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`${shown(heading.textContent)} skips a level`);
    level = next;
  }
  if (document.querySelector('script, link, img, iframe, object, [src], [onerror]')) faults.push('it loads from the network');
  for (const link of document.querySelectorAll('a')) {
    if (!document.querySelector(link.getAttribute('href'))) faults.push(`the link ${shown(link.textContent)} has no target`);
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

  // That of the parts of a picture is at least 3 to 1, and that of two levels of the map 1.2 to 1.
  const ground = groundOf(document.querySelector('.map'));
  const visible = (what, color, beside, least) => {
    const contrast = contrastOf(color, beside);
    if (contrast < least) faults.push(`${what} is hard to see: contrast ${contrast.toFixed(2)}`);
  };
  for (const part of document.querySelectorAll('figure svg svg path:not(.lines, .mean), .alarm')) {
    const { fill, stroke } = getComputedStyle(part);
    visible('a bar', part.matches('.alarm') ? stroke : fill, ground, 3);
  }
  let before = ground;
  for (const path of document.querySelectorAll('.map path')) {
    const { stroke } = getComputedStyle(path);
    visible('a cell', stroke, ground, 3);
    visible('a level', stroke, before, 1.2);
    before = stroke;
  }
  return faults;
})()
