// Plays each file that the server lists as three.js does, and sends back where its vertices are and how it looks.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const WIDTH = 480, HEIGHT = 360;

async function send(path, body) {
  await fetch(path, { method: "POST", body });
}

/** The positions of all vertices of a mesh in the world, morphed and skinned: 3V numbers. */
function places(mesh) {
  const count = mesh.geometry.attributes.position.count, place = new THREE.Vector3(), numbers = [];
  for (let vertex = 0; vertex < count; vertex++) {
    mesh.getVertexPosition(vertex, place).applyMatrix4(mesh.matrixWorld);
    numbers.push(place.x, place.y, place.z);
  }
  return numbers;
}

/** What a picture of the whole file shows; the graphics card's side of morphing and skinning. */
function picture(renderer, scene) {
  const box = new THREE.Box3().setFromObject(scene, true);
  const middle = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3()).length();
  const camera = new THREE.PerspectiveCamera(35, WIDTH / HEIGHT, size / 100, size * 10);
  camera.position.copy(middle).add(new THREE.Vector3(0.9, 0.55, 1.2).multiplyScalar(size));
  camera.lookAt(middle);
  const stage = new THREE.Scene();
  stage.background = new THREE.Color(0xf2f2f2);
  const sun = new THREE.DirectionalLight(0xffffff, 2.5);
  sun.position.set(1, 2, 1.5);
  stage.add(scene, sun, new THREE.AmbientLight(0xffffff, 1.2));
  renderer.render(stage, camera);
  return renderer.domElement.toDataURL("image/png");
}

async function play(renderer, job) {
  const gltf = await new GLTFLoader().loadAsync(job.url);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce); // or the last moment would be the first one again
    action.clampWhenFinished = true;
    action.play();
  }
  const meshes = [];
  gltf.scene.traverse((thing) => {
    if (thing.isMesh) meshes.push(thing);
  });
  const frames = [];
  for (const time of job.times) {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    frames.push(meshes.map(places));
  }
  const told = meshes.map((mesh) => ({
    name: mesh.name,
    parent: mesh.parent.name,
    skinned: mesh.isSkinnedMesh === true,
    morphs: mesh.morphTargetInfluences === undefined ? 0 : mesh.morphTargetInfluences.length,
    material: mesh.material.name,
    image: mesh.material.map ? [mesh.material.map.image.width, mesh.material.map.image.height] : null,
    ids: "_id" in mesh.geometry.attributes ? Array.from(mesh.geometry.attributes._id.array) : null,
  }));
  await send(`/played/${job.name}`, JSON.stringify({ meshes: told, frames }));
  await send(`/picture/${job.name}`, picture(renderer, gltf.scene));
}

try {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(WIDTH, HEIGHT);
  const jobs = await (await fetch("/jobs.json")).json();
  for (const job of jobs) await play(renderer, job);
  await send("/end", "");
} catch (error) {
  await send("/end", `${error.stack ?? error}`);
}
