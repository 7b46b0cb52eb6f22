__global__ void wait(volatile int* flag) { while (*flag == 0) {} }
__managed__ int flag;
int main(int argc, char**) { wait<<<1, 32>>>(&flag); flag = argc > 1; return 0; }
