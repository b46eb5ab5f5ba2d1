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
    for (const label of picture.querySelectorAll('text')) {
      if (parseFloat(getComputedStyle(label).strokeWidth) < 8) faults.push(`bars cross the figure of ${name}`);
    }
    if (!picture.querySelector('.alarm')) continue;
    if (!/uneven|hot end/.test(name)) faults.push(`${name} has an alarm`);
    if (!picture.querySelector('text')?.textContent) faults.push(`${name} is shown by color only`);
  }
}
if (!document.querySelector('#advice figure > svg')) faults.push('the first screen has no picture');
const steps = [...document.querySelectorAll('.legend li')];
if (steps.length < 2 || steps.some((step) => !/[0-9½]|none/.test(step.textContent))) faults.push('the scale has no words');

// It loads nothing from the network.
if (document.querySelector('script, link, img, iframe, object, [src], [onerror]')) faults.push('it loads from the network');
for (const link of document.querySelectorAll('a')) {
  if (!document.querySelector(link.getAttribute('href'))) faults.push(`the link ${shown(link.textContent)} has no target`);
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
