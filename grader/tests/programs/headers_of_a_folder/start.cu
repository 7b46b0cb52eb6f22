#include <start.cuh>
void go(int* d) { launch(d); }
